// crawler-commons, asked by the protocol of benchmarks/programs.py.

import crawlercommons.robots.BaseRobotRules;
import crawlercommons.robots.SimpleRobotRulesParser;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

public final class Driver {
    private static final String SITE = "https://www.example.com/robots.txt";
    private static final ThreadMXBean CLOCK = ManagementFactory.getThreadMXBean();

    private final SimpleRobotRulesParser parser = new SimpleRobotRulesParser();
    private final List<byte[]> files = new ArrayList<>();
    private final List<BaseRobotRules> policies = new ArrayList<>();
    private final List<Question> questions = new ArrayList<>();
    // It reads a file for crawlers that it is told beforehand, and keeps their rules alone.
    private final Set<String> crawlers;

    private record Question(int file, String url) {}

    private interface Work {
        void on(int place, StringBuilder answers);
    }

    private Driver(String crawler) {
        crawlers = Set.of(crawler.toLowerCase());
    }

    private BaseRobotRules parse(int file) {
        BaseRobotRules rules = parser.parseContent(SITE, files.get(file), "text/plain", crawlers);
        policies.set(file, rules);
        return rules;
    }

    private static void tell(BaseRobotRules rules, Question question, StringBuilder answers) {
        answers.append(rules.isAllowed(question.url) ? '1' : '0');
    }

    // Nanoseconds of the one thread that works; compiler and collector have threads of their own.
    private static String timed(Work work, int first, int before, int times) {
        StringBuilder answers = new StringBuilder();
        long start = CLOCK.getCurrentThreadCpuTime();
        for (int round = 0; round < times; round++) {
            answers.setLength(0);
            for (int place = first; place < before; place++) {
                work.on(place, answers);
            }
        }
        return (CLOCK.getCurrentThreadCpuTime() - start + " " + answers).strip();
    }

    private String answer(String line) {
        String[] words = line.split(" ", 4);
        switch (words[0]) {
            case "version":
                return System.getProperty("peer.version");
            case "ask":
                questions.add(new Question(Integer.parseInt(words[1]), words[3]));
                return null;
            default:
        }
        int first = Integer.parseInt(words[1]);
        int before = Integer.parseInt(words[2]);
        int times = Integer.parseInt(words[3]);
        switch (words[0]) {
            case "read":
                return timed((place, answers) -> parse(place), first, before, times);
            case "each":
                return timed((place, answers) -> {
                    Question question = questions.get(place);
                    tell(parse(question.file), question, answers);
                }, first, before, times);
            case "decide":
                for (Question question : questions.subList(first, before)) {
                    if (policies.get(question.file) == null) {
                        parse(question.file);
                    }
                }
                return timed((place, answers) -> {
                    Question question = questions.get(place);
                    tell(policies.get(question.file), question, answers);
                }, first, before, times);
            default:
                throw new IllegalArgumentException(line);
        }
    }

    public static void main(String[] arguments) throws IOException {
        Driver driver = new Driver(arguments[0]);
        BufferedInputStream in = new BufferedInputStream(System.in, 1 << 16);
        PrintStream out = System.out;
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int octet; (octet = in.read()) >= 0;) {
            if (octet != '\n') {
                line.write(octet);
                continue;
            }
            String said = line.toString(StandardCharsets.UTF_8);
            line.reset();
            if (said.startsWith("file ")) {
                driver.files.add(in.readNBytes(Integer.parseInt(said.substring(5))));
                driver.policies.add(null);
                in.read();
                continue;
            }
            String answer = driver.answer(said);
            if (answer != null) {
                out.println(answer);
                out.flush();
            }
        }
    }
}
