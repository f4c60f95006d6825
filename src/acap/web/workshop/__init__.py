"""The publisher's workshop in a browser: see what a policy decides, try it, mend it, compare it, write it.

The laws of this package:

1. The whole state is in the form that a page sends; the server keeps nothing. Everything works without a script.
2. Nothing leaves the machine but a retrieval that somebody asks for, and that goes by the guard of `acap.retrieval`.
3. Every answer is the engine's. A line's colour is what the engine decides at a path of that line.
4. What was pasted, opened or fetched is hostile: it is shown as text, in bounded room.
"""
