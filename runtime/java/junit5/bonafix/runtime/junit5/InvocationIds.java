package bonafix.runtime.junit5;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Turns the id of one invocation of a template, {@code C#m(int)[3]}, into the platform's unique id for it; and an open range,
 * {@code C#m(int)[3..]}, into many.
 */
final class InvocationIds {
    /** How far an open range reaches; the number of invocations is not known before they run, and each one selected costs time. */
    private static final int OPEN_RANGE = 200;
    private static final Pattern NUMBERS = Pattern.compile("(?:\\[\\d+])*\\[(\\d+)(\\.\\.)?]");
    private static final Pattern NUMBER = Pattern.compile("\\[(\\d+)]");

    private InvocationIds() {
    }

    static List<String> uniqueIds(String templateUniqueId, String templateId, String wanted) {
        int parameters = templateId.indexOf('(');
        String suffix = suffixAfter(templateId, wanted);
        if (suffix == null && parameters >= 0) {
            suffix = suffixAfter(templateId.substring(0, parameters), wanted);
        }
        Matcher numbers = suffix == null ? null : NUMBERS.matcher(suffix);
        if (numbers == null || !numbers.matches()) {
            return Collections.emptyList();
        }
        String outer = suffix.substring(0, suffix.lastIndexOf('['));
        int first = Integer.parseInt(numbers.group(1));
        int last = numbers.group(2) == null ? first : first + OPEN_RANGE - 1;
        List<String> uniqueIds = new ArrayList<>();
        for (int number = first; number <= last; number++) {
            uniqueIds.add(uniqueId(templateUniqueId, outer, number));
        }
        return uniqueIds;
    }

    private static String suffixAfter(String prefix, String wanted) {
        return wanted.startsWith(prefix) ? wanted.substring(prefix.length()) : null;
    }

    private static String uniqueId(String template, String outer, int number) {
        boolean isFactory = template.contains("/[test-factory:");
        StringBuilder id = new StringBuilder(template);
        for (Matcher matcher = NUMBER.matcher(outer); matcher.find();) {
            id.append("/[dynamic-container:#").append(matcher.group(1)).append(']');
        }
        return id.append(isFactory ? "/[dynamic-test:#" : "/[test-template-invocation:#").append(number).append(']').toString();
    }
}
