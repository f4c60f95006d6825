// crawler-commons as a reader of the open vectors: it reads no signals, and robots.txt alone; ai.txt has that grammar.
//
//     vectors/run -- java -cp crawler-commons.jar:slf4j-api.jar:json.jar vectors/readers/ByCrawlerCommons.java

import crawlercommons.robots.SimpleRobotRulesParser;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import org.json.JSONObject;

public final class ByCrawlerCommons {
    public static void main(String[] arguments) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            JSONObject question = new JSONObject(line);
            JSONObject document = question.getJSONObject("input").optJSONObject("document");
            String answer = "unsupported";
            if (question.getString("dialect").equals("ai-txt") && document != null && document.has("body")) {
                Object body = document.get("body");
                byte[] octets = body instanceof JSONObject coded
                    ? Base64.getDecoder().decode(coded.getString("base64"))
                    : body.toString().getBytes(StandardCharsets.UTF_8);
                String url = question.getJSONObject("ask").getString("url");
                List<String> names = new ArrayList<>();
                for (Object name : question.getJSONObject("ask").getJSONArray("crawler")) {
                    names.add(name.toString().toLowerCase(Locale.ROOT));
                }
                boolean allowed =
                    new SimpleRobotRulesParser().parseContent(url, octets, "text/plain", names).isAllowed(url);
                answer = allowed ? "silent" : "prohibited";
            }
            System.out.println(new JSONObject().put("id", question.getString("id")).put("answer", answer));
        }
    }
}
