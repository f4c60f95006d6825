import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Asks the decision service of acap which URLs a crawler may use. Any thread may ask.
 *
 * <p>It fails closed: what is not answered as permitted, whatever the reason, is not permitted.
 *
 * <p>{@link #filter(String)} has the form of Nutch's {@code org.apache.nutch.net.URLFilter}: the URL, or null for one
 * that is to be left out. In StormCrawler call it from {@code URLFilter.filter(sourceUrl, sourceMetadata, url)}, or,
 * which asks much less often, give {@link #ask(List)} all the links of a page in a {@code ParseFilter}.
 */
public final class DecisionFilter {
    private static final int MOST_URLS = 1_000;
    private static final int MOST_OCTETS = 64 << 20;
    private static final Duration MARGIN = Duration.ofSeconds(1);

    /** What may be done with a URL: all that was asked for, under all restrictions; or nothing. */
    public record Permission(String url, boolean permitted, List<String> restrictions, String why) {
        static Permission none(String url, String why) {
            return new Permission(url, false, List.of(), why);
        }
    }

    private final URI service;
    private final String token;
    private final String crawler;
    private final List<String> usages;
    private final Duration deadline;
    // Never a redirect: it would take the token, and the decision, to another place.
    private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER).connectTimeout(Duration.ofSeconds(5)).build();

    /**
     * @param service where the service answers: http://127.0.0.1:8080
     * @param token what it wants to see; null if it wants none
     * @param crawler the name that policies are searched for
     * @param usages what is asked for each URL, such as "crawl"
     * @param deadline how long the service waits for policies that it does not know
     */
    public DecisionFilter(String service, String token, String crawler, List<String> usages, Duration deadline) {
        this.service = URI.create(service + "/v1/decisions");
        this.token = token;
        this.crawler = crawler;
        this.usages = List.copyOf(usages);
        this.deadline = deadline;
    }

    /** The URL if it may be used without restrictions that would have to be kept; else null. */
    public String filter(String url) {
        Permission found = ask(List.of(url)).get(0);
        return found.permitted() && found.restrictions().isEmpty() ? url : null;
    }

    /** A permission for each URL, in their order. */
    public List<Permission> ask(List<String> urls) {
        List<Permission> found = new ArrayList<>();
        for (int begin = 0; begin < urls.size(); begin += MOST_URLS) {
            List<String> part = urls.subList(begin, Math.min(urls.size(), begin + MOST_URLS));
            try {
                found.addAll(permissions(answer(part), part));
            } catch (IOException | RuntimeException error) {
                part.forEach(url -> found.add(Permission.none(url, String.valueOf(error.getMessage()))));
            }
        }
        return Collections.unmodifiableList(found);
    }

    private String answer(List<String> urls) throws IOException {
        String body = "{\"crawler\":" + Json.write(crawler) + ",\"usages\":" + Json.write(usages) + ",\"urls\":"
                + Json.write(urls) + ",\"deadline_ms\":" + Math.max(1, deadline.toMillis()) + "}";
        HttpRequest.Builder request = HttpRequest.newBuilder(service).header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body));
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        // The time is for the whole answer: HttpRequest.timeout would end with its head.
        CompletableFuture<HttpResponse<InputStream>> coming =
                client.sendAsync(request.build(), HttpResponse.BodyHandlers.ofInputStream());
        CompletableFuture<String> whole = coming.thenApplyAsync(DecisionFilter::text);
        try {
            return whole.get(deadline.plus(MARGIN).toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException error) {
            coming.thenAccept(DecisionFilter::close);
            coming.cancel(true);
            throw new IOException("the decision service does not answer in time");
        } catch (ExecutionException error) {
            throw new IOException("the decision service does not answer: " + error.getCause().getMessage());
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted");
        }
    }

    private static String text(HttpResponse<InputStream> response) {
        try (InputStream body = response.body()) {
            byte[] octets = body.readNBytes(MOST_OCTETS);
            if (response.statusCode() != 200) {
                throw new IllegalStateException("status " + response.statusCode());
            }
            return StandardCharsets.UTF_8.newDecoder().decode(java.nio.ByteBuffer.wrap(octets)).toString();
        } catch (IOException error) {
            throw new IllegalStateException(error.getMessage(), error);
        }
    }

    private static void close(HttpResponse<InputStream> response) {
        try {
            response.body().close();
        } catch (IOException error) {
            // Nobody waits for it.
        }
    }

    /** The permissions of an answer. Each row has to be the one that was asked for. */
    private List<Permission> permissions(String answer, List<String> urls) {
        Map<?, ?> document = (Map<?, ?>) Json.read(answer);
        List<?> asked = (List<?>) document.get("usages");
        List<?> rows = (List<?>) document.get("answers");
        int width = asked.size();
        if (width == 0 || rows.size() != width * urls.size()) {
            throw new IllegalArgumentException("the decision service answers " + rows.size() + " rows");
        }
        for (String usage : usages) {
            if (!usage.equals("search") && !asked.contains(usage)) { // search is answered as its parts
                throw new IllegalArgumentException("the decision service does not answer for " + usage);
            }
        }
        List<Permission> found = new ArrayList<>();
        for (int place = 0; place < urls.size(); place++) {
            boolean permitted = true;
            List<String> restrictions = new ArrayList<>();
            String why = "";
            for (int number = 0; number < width; number++) {
                Map<?, ?> row = (Map<?, ?>) rows.get(place * width + number);
                if (!urls.get(place).equals(row.get("url")) || !asked.get(number).equals(row.get("usage"))) {
                    throw new IllegalArgumentException("the decision service answers another question");
                }
                if (!"permitted".equals(row.get("outcome")) || row.get("error") != null) {
                    permitted = false;
                    why = row.get("error") != null ? String.valueOf(row.get("error")) : String.valueOf(row.get("rule"));
                }
                for (Object one : (List<?>) row.get("restrictions")) {
                    restrictions.add((String) one);
                }
            }
            found.add(new Permission(urls.get(place), permitted, List.copyOf(restrictions), why));
        }
        return found;
    }

    /** Reads URLs from standard input, one a line, and prints each with what may be done. */
    public static void main(String[] arguments) throws IOException {
        if (arguments.length != 3) {
            System.err.println("usage: java DecisionFilter SERVICE CRAWLER USAGES < URLS");
            System.exit(2);
        }
        DecisionFilter filter = new DecisionFilter(arguments[0], System.getenv("ACAP_DECISIONS_TOKEN"), arguments[1],
                List.of(arguments[2].split(",")), Duration.ofSeconds(1));
        String text = new String(System.in.readAllBytes(), StandardCharsets.UTF_8);
        for (Permission one : filter.ask(text.lines().toList())) {
            System.out.println(one.permitted() + "\t" + one.url() + "\t" + String.join("; ", one.restrictions()));
        }
        System.exit(0); // without waiting for connections that hang
    }
}
