package release.version;

import java.util.Collection;
import java.util.Objects;
import java.util.Optional;

/** The versions from one to another, the first included and the last not. */
public final class VersionRange {
    private final Version from;
    private final Version to;

    /**
     * @throws IllegalArgumentException if the range is empty
     */
    public VersionRange(Version from, Version to) {
        if (from.compareTo(to) >= 0) {
            throw new IllegalArgumentException("empty range: " + from + " to " + to);
        }
        this.from = from;
        this.to = to;
    }

    /** Returns the range of two versions in text form. */
    public static VersionRange of(String from, String to) {
        return new VersionRange(Version.parse(from), Version.parse(to));
    }

    public boolean contains(Version version) {
        return from.compareTo(version) <= 0 && version.compareTo(to) < 0;
    }

    /** Returns the latest of some versions that is in the range and not a pre-release. */
    public Optional<Version> latest(Collection<Version> versions) {
        Version latest = null;
        for (Version version : versions) {
            Objects.requireNonNull(version);
            if (contains(version) && !version.isPreRelease()
                    && (latest == null || version.compareTo(latest) > 0)) {
                latest = version;
            }
        }
        return Optional.ofNullable(latest);
    }

    @Override
    public String toString() {
        return "[" + from + ", " + to + ")";
    }
}
