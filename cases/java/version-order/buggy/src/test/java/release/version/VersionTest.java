package release.version;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.Test;

public class VersionTest {
    private static Version version(String text) {
        return Version.parse(text);
    }

    private static void assertOrder(String less, String greater) {
        assertTrue(less + " < " + greater, version(less).compareTo(version(greater)) < 0);
        assertTrue(greater + " > " + less, version(greater).compareTo(version(less)) > 0);
    }

    private static List<Version> versions(String... texts) {
        return Stream.of(texts).map(Version::parse).collect(Collectors.toList());
    }

    @Test
    public void partsDecideFromLeftToRight() {
        assertOrder("1.2", "1.3");
        assertOrder("1.9.9", "2.0");
        assertOrder("1.2", "1.2.1");
    }

    @Test
    public void partsAreNumbers() {
        assertOrder("1.9", "1.10");
    }

    @Test
    public void missingPartsAreZero() {
        assertEquals(version("1"), version("1.0.0"));
        assertEquals(version("1").hashCode(), version("1.0.0").hashCode());
        assertEquals(0, version("2.1").compareTo(version("2.1.0")));
    }

    @Test
    public void leadingZerosMeanNothing() {
        assertEquals(version("1.2"), version("1.02"));
        assertEquals("1.2", version("01.002").toString());
    }

    @Test
    public void qualifierComesBeforeRelease() {
        assertOrder("1.0-beta", "1.0");
        assertOrder("1.0-alpha", "1.0-beta");
        assertOrder("0.9", "1.0-alpha");
    }

    @Test
    public void text() {
        assertEquals("1.2-rc1", version("1.2.0-rc1").toString());
        assertEquals("0", version("0.0").toString());
        assertEquals(Arrays.asList("1", "2"), version("1.2").parts());
    }

    @Test
    public void equality() {
        assertNotEquals(version("1.0"), version("1.0-beta"));
        assertNotEquals(version("1.0"), "1.0");
        assertTrue(version("1.0-beta").isPreRelease());
        assertFalse(version("1.0").isPreRelease());
    }

    @Test
    public void nonsenseIsRejected() {
        for (String text : new String[] {"", "1.", ".1", "1..2", "v1", "1.0-", "1.0-Beta", "-beta", "1 "}) {
            try {
                version(text);
                fail(text);
            } catch (IllegalArgumentException expected) {
                // as documented
            }
        }
    }

    @Test
    public void rangeIncludesItsBeginOnly() {
        VersionRange range = VersionRange.of("1.2", "2");
        assertTrue(range.contains(version("1.2")));
        assertTrue(range.contains(version("1.9.9")));
        assertTrue(range.contains(version("2-beta")));
        assertFalse(range.contains(version("2.0")));
        assertFalse(range.contains(version("1.1")));
        assertEquals("[1.2, 2)", range.toString());
    }

    @Test
    public void latestOfRange() {
        VersionRange range = VersionRange.of("1", "2");
        assertEquals(
                Optional.of(version("1.10")),
                range.latest(versions("1.9", "0.9", "1.10", "2.0", "1.11-rc1")));
        assertEquals(Optional.empty(), range.latest(Collections.<Version>emptyList()));
    }

    @Test(expected = IllegalArgumentException.class)
    public void emptyRangeIsRejected() {
        VersionRange.of("1.3", "1.3.0");
    }
}
