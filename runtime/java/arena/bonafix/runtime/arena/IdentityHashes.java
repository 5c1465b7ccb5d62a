package bonafix.runtime.arena;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Covers the identity hashes that {@code Object.toString} gets into texts: {@code pkg.Type@1a2b3c}, {@code [I@1a2b3c}; and those
 * of class loaders, which the VM puts into what it says of casts.
 *
 * <p>Only behind the name of a class that some version or a library has, whether it is loaded or not: so the same text is
 * the same in all versions and at all times, and {@code user@beef} stays what it is.
 */
final class IdentityHashes {
    private static final String COVER = "@hash";
    private static final int MAX_DIGITS = 8;
    private static final int MAX_NAME = 256;
    private static final int MAX_KNOWN = 1024;
    private static final String PRIMITIVES = "ZBCSIJFD";
    /** What follows it is a number that the VM gives out; so does what stands behind a slash. */
    private static final String LAMBDA = "$$Lambda";
    private static final String OF_LOADER = " of loader ";
    private static final String OUR_LOADER = VersionLoader.class.getName().replace('.', '/') + ".class";

    private final List<VersionFiles> versions;
    private final ClassLoader libraries;
    private final Map<String, Boolean> known = new HashMap<>();

    IdentityHashes(List<VersionFiles> versions, URL[] libraries) {
        this.versions = versions;
        this.libraries = new URLClassLoader(libraries, ClassLoader.getSystemClassLoader().getParent());
    }

    String covered(String text) {
        int at = text.indexOf('@');
        if (at < 0) {
            return text;
        }
        StringBuilder covered = null;
        int copied = 0;
        for (; at >= 0; at = text.indexOf('@', at + 1)) {
            int end = endOfHash(text, at + 1);
            int nameEnd = end < 0 ? -1 : endOfName(text, at);
            if (nameEnd >= 0) {
                covered = covered == null ? new StringBuilder(text.length()) : covered;
                covered.append(text, copied, nameEnd).append(COVER);
                copied = end;
            }
        }
        return covered == null ? text : covered.append(text, copied, text.length()).toString();
    }

    /** Behind the digits, as {@code Integer.toHexString} writes them; -1 if there are none. */
    private static int endOfHash(String text, int start) {
        int end = start;
        while (end < text.length() && end - start <= MAX_DIGITS && isDigit(text.charAt(end))) {
            end++;
        }
        int digits = end - start;
        boolean isNumber = digits > 0 && digits <= MAX_DIGITS && (digits == 1 || text.charAt(start) != '0');
        boolean goesOn = end < text.length() && Character.isJavaIdentifierPart(text.charAt(end));
        return isNumber && !goesOn ? end : -1;
    }

    private static boolean isDigit(char unit) {
        return unit >= '0' && unit <= '9' || unit >= 'a' && unit <= 'f';
    }

    /** Up to where the name before the sign says something; -1 if no class has that name. */
    private int endOfName(String text, int at) {
        if (isOfLoader(text, at)) {
            return at;
        }
        boolean ofObjects = at > 0 && text.charAt(at - 1) == ';';
        int end = ofObjects ? at - 1 : at;
        int start = end;
        while (start > 0 && end - start <= MAX_NAME && isOfName(text.charAt(start - 1))) {
            start--;
        }
        boolean ofArray = start > 0 && text.charAt(start - 1) == '[';
        if (ofObjects) {
            boolean isArray = ofArray && start < end && text.charAt(start) == 'L';
            return isArray && isKnown(text.substring(start + 1, end)) ? at : -1;
        }
        if (ofArray && end - start == 1 && PRIMITIVES.indexOf(text.charAt(start)) >= 0) {
            return at;
        }
        String name = text.substring(start, end);
        int lambda = name.indexOf(LAMBDA);
        String holder = lambda < 0 ? StubClass.withoutSuffix(name) : name.substring(0, lambda);
        return !isKnown(holder) ? -1 : lambda < 0 ? at : start + lambda + LAMBDA.length();
    }

    /** In what the VM says of a cast: {@code … of loader pkg.Loader @1a2b3c}, where the loader is often one of ours. */
    private static boolean isOfLoader(String text, int at) {
        if (at == 0 || text.charAt(at - 1) != ' ') {
            return false;
        }
        int start = at - 1;
        while (start > 0 && at - start <= MAX_NAME && isOfName(text.charAt(start - 1))) {
            start--;
        }
        return start < at - 1 && text.startsWith(OF_LOADER, start - OF_LOADER.length());
    }

    private static boolean isOfName(char unit) {
        return unit == '.' || unit == '/' || Character.isJavaIdentifierPart(unit);
    }

    private boolean isKnown(String name) {
        if (name.isEmpty() || name.indexOf('/') >= 0) {
            return false;
        }
        Boolean answer = known.get(name);
        if (answer == null) {
            if (known.size() >= MAX_KNOWN) {
                known.clear();
            }
            answer = exists(name.replace('.', '/') + ".class");
            known.put(name, answer);
        }
        return answer;
    }

    private boolean exists(String path) {
        // A subject may say which loader it asked.
        if (path.equals(OUR_LOADER)) {
            return true;
        }
        for (VersionFiles version : versions) {
            if (version.hasFile(path)) {
                return true;
            }
        }
        return libraries.getResource(path) != null;
    }
}
