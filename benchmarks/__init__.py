"""Measurements beside other implementations: ``make bench``, or ``python -m benchmarks`` where the peers are installed.

Laws of this suite:

- Everything is measured in one run, in turns (A B A B), on one processor, in processor time and not by the clock on the
  wall: what else the machine does stretches the second and hardly the first.
- In its turn each works twice and the second counts, so that none pays for caches that another has emptied. Of the
  rounds the median counts; the least and the greatest are told. A ratio is taken within each round.
- Each peer is used as its documentation says, with what it needs made from octets in its own time, and its answers are
  compared with those that Google's matcher gave.
- The garbage collector of Python is off while a measurement runs, as in `timeit`.
"""
