package release.version;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The version of a release, such as 1.10 or 2.0.1-beta.
 *
 * <p>A version is one or more parts, separated by dots, and may have a qualifier of lower case letters
 * and digits behind a hyphen. Parts are numbers of any length, also longer than a {@code long}, such as
 * time stamps; leading zeros mean nothing. Missing parts are zero, so 1.0 and 1 are equal. Versions are
 * ordered by their parts from left to right, as numbers. If the parts are equal, a version with a
 * qualifier comes before the one without, and two qualifiers are in the order of their text.
 */
public final class Version implements Comparable<Version> {
    private final List<String> parts;
    private final String qualifier;

    private Version(List<String> parts, String qualifier) {
        this.parts = parts;
        this.qualifier = qualifier;
    }

    /**
     * Reads a version.
     *
     * @param text the text, not null
     * @throws IllegalArgumentException if the text is not a version
     */
    public static Version parse(String text) {
        int hyphen = text.indexOf('-');
        String numbers = hyphen < 0 ? text : text.substring(0, hyphen);
        String qualifier = hyphen < 0 ? "" : text.substring(hyphen + 1);
        if (!numbers.matches("[0-9]+(\\.[0-9]+)*") || hyphen >= 0 && !qualifier.matches("[a-z0-9]+")) {
            throw new IllegalArgumentException("not a version: " + text);
        }
        List<String> parts = new ArrayList<>();
        for (String part : numbers.split("\\.")) {
            parts.add(withoutLeadingZeros(part));
        }
        while (parts.size() > 1 && parts.get(parts.size() - 1).equals("0")) {
            parts.remove(parts.size() - 1);
        }
        return new Version(parts, qualifier);
    }

    private static String withoutLeadingZeros(String part) {
        int start = 0;
        while (start < part.length() - 1 && part.charAt(start) == '0') {
            start++;
        }
        return part.substring(start);
    }

    /** Returns the parts without leading zeros and without zeros at the end. */
    public List<String> parts() {
        return Collections.unmodifiableList(parts);
    }

    /** Tells whether this version has a qualifier. */
    public boolean isPreRelease() {
        return !qualifier.isEmpty();
    }

    @Override
    public int compareTo(Version other) {
        int count = Math.max(parts.size(), other.parts.size());
        for (int i = 0; i < count; i++) {
            int order = comparePart(part(i), other.part(i));
            if (order != 0) {
                return order;
            }
        }
        if (isPreRelease() != other.isPreRelease()) {
            return isPreRelease() ? -1 : 1;
        }
        return Integer.signum(qualifier.compareTo(other.qualifier));
    }

    private String part(int index) {
        return index < parts.size() ? parts.get(index) : "0";
    }

    /** Returns -1, 0 or 1. */
    private static int comparePart(String left, String right) {
        return Integer.signum(left.compareTo(right));
    }

    @Override
    public boolean equals(Object object) {
        return object instanceof Version && compareTo((Version) object) == 0;
    }

    @Override
    public int hashCode() {
        return 31 * parts.hashCode() + qualifier.hashCode();
    }

    @Override
    public String toString() {
        String numbers = String.join(".", parts);
        return isPreRelease() ? numbers + "-" + qualifier : numbers;
    }
}
