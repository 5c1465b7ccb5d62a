package text.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class WordWrapTest {
    private WordWrap wrap;

    @BeforeEach
    void narrowColumn() {
        wrap = new WordWrap(10);
    }

    @Test
    void shortTextIsOneLine() {
        assertEquals(Collections.singletonList("hello"), wrap.lines("hello"));
    }

    @Test
    void textOfExactlyTheWidthIsOneLine() {
        assertEquals(Collections.singletonList("0123456789"), wrap.lines("0123456789"));
    }

    @Test
    void emptyTextHasNoLines() {
        assertTrue(wrap.lines("").isEmpty());
        assertTrue(wrap.lines("    ").isEmpty());
    }

    @Test
    void breaksBetweenWords() {
        assertEquals(Arrays.asList("the quick", "brown fox"), wrap.lines("the quick brown fox"));
    }

    @Test
    void breaksWhereWordEndsAtTheWidth() {
        assertEquals(Arrays.asList("over lazy", "dogs jumps"), wrap.lines("over lazy dogs jumps"));
    }

    @Test
    void spacesWithinLineAreKept() {
        assertEquals(Collections.singletonList("a  b   c"), wrap.lines("a  b   c"));
    }

    @Test
    void spacesAtTheBreakAreDropped() {
        assertEquals(Arrays.asList("the quick", "brown"), wrap.lines("  the quick    brown  "));
    }

    @Test
    void nullTextIsRejected() {
        assertThrows(NullPointerException.class, () -> wrap.lines(null));
    }

    @Test
    void widthIsLimited() {
        assertThrows(IllegalArgumentException.class, () -> new WordWrap(0));
        assertThrows(IllegalArgumentException.class, () -> new WordWrap(1001));
        assertEquals(10, wrap.width());
    }

    @Nested
    class LongWords {
        @Test
        @DisplayName("a word longer than the line is cut")
        void longWordIsCut() {
            assertEquals(Arrays.asList("indivisibi", "lity"), wrap.lines("indivisibility"));
        }

        @Test
        void wordOfTwoLinesIsCutOnce() {
            List<String> lines = new WordWrap(4).lines("abcdefgh");
            assertEquals(Arrays.asList("abcd", "efgh"), lines);
        }
    }

    @Nested
    class Blocks {
        private static final String TEXT = "no news is good news";

        @Test
        void left() {
            assertEquals("no news is\ngood news", wrap.block(TEXT, Alignment.LEFT));
        }

        @Test
        void right() {
            assertEquals("no news is\n good news", wrap.block(TEXT, Alignment.RIGHT));
        }

        @Test
        void centered() {
            assertEquals("   solo", wrap.block("solo", Alignment.CENTER));
            assertEquals("  three", wrap.block("three", Alignment.CENTER));
        }
    }
}
