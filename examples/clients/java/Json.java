import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** JSON as a Map, List, String, Double, Boolean or null (RFC 8259); anything else is an IllegalArgumentException. */
final class Json {
    private static final int MOST_NESTED = 16;

    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    static Object read(String text) {
        Json json = new Json(text);
        Object value = json.value(0);
        json.blank();
        if (json.at < text.length()) {
            throw json.fault();
        }
        return value;
    }

    static String write(Object value) {
        StringBuilder out = new StringBuilder();
        if (value instanceof List<?> list) {
            out.append('[');
            for (Object one : list) {
                out.append(out.length() > 1 ? "," : "").append(write(one));
            }
            return out.append(']').toString();
        }
        if (!(value instanceof String text)) {
            return String.valueOf(value);
        }
        out.append('"');
        for (char letter : text.toCharArray()) {
            if (letter < ' ' || letter > '~' || letter == '"' || letter == '\\') {
                out.append(String.format("\\u%04x", (int) letter));
            } else {
                out.append(letter);
            }
        }
        return out.append('"').toString();
    }

    private Object value(int depth) {
        blank();
        char letter = depth > MOST_NESTED ? 0 : peek();
        switch (letter) {
            case '{':
                return object(depth);
            case '[':
                return list(depth);
            case '"':
                return string();
            case 't':
                return word("true", Boolean.TRUE);
            case 'f':
                return word("false", Boolean.FALSE);
            case 'n':
                return word("null", null);
            default:
                return number();
        }
    }

    private Map<String, Object> object(int depth) {
        Map<String, Object> found = new LinkedHashMap<>();
        at++;
        blank();
        if (peek() == '}') {
            at++;
            return found;
        }
        while (true) {
            blank();
            String name = string();
            blank();
            expect(':');
            if (found.containsKey(name)) {
                throw fault();
            }
            found.put(name, value(depth + 1));
            blank();
            if (peek() == '}') {
                at++;
                return found;
            }
            expect(',');
        }
    }

    private List<Object> list(int depth) {
        List<Object> found = new ArrayList<>();
        at++;
        blank();
        if (peek() == ']') {
            at++;
            return found;
        }
        while (true) {
            found.add(value(depth + 1));
            blank();
            if (peek() == ']') {
                at++;
                return found;
            }
            expect(',');
        }
    }

    private String string() {
        expect('"');
        StringBuilder found = new StringBuilder();
        while (true) {
            char letter = next();
            if (letter == '"') {
                return found.toString();
            }
            if (letter < ' ') {
                throw fault();
            }
            found.append(letter == '\\' ? escaped() : letter);
        }
    }

    private char escaped() {
        char letter = next();
        if (letter == 'u') {
            if (at + 4 > text.length()) {
                throw fault();
            }
            at += 4;
            return (char) Integer.parseInt(text.substring(at - 4, at), 16);
        }
        int place = "\"\\/bfnrt".indexOf(letter);
        if (place < 0) {
            throw fault();
        }
        return "\"\\/\b\f\n\r\t".charAt(place);
    }

    private Double number() {
        int begin = at;
        while (at < text.length() && "+-.0123456789eE".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        return Double.valueOf(text.substring(begin, at)); // a NumberFormatException is one, too
    }

    private Object word(String word, Object value) {
        if (!text.startsWith(word, at)) {
            throw fault();
        }
        at += word.length();
        return value;
    }

    private void blank() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private void expect(char letter) {
        if (next() != letter) {
            throw fault();
        }
    }

    private char peek() {
        if (at >= text.length()) {
            throw fault();
        }
        return text.charAt(at);
    }

    private char next() {
        char letter = peek();
        at++;
        return letter;
    }

    private IllegalArgumentException fault() {
        return new IllegalArgumentException("the answer is not JSON at character " + at);
    }
}
