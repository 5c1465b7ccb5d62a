package tabular.csv;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.fail;

import java.io.IOException;
import java.io.StringReader;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.Test;

public class CsvReaderTest {
    private static List<String> record(String text) throws IOException {
        return new CsvReader(new StringReader(text)).read();
    }

    @Test
    public void plainFields() throws IOException {
        assertEquals(Arrays.asList("a", "bc", ""), record("a,bc,"));
    }

    @Test
    public void emptyTextHasNoRecords() throws IOException {
        assertNull(record(""));
    }

    @Test
    public void emptyLineIsARecord() throws IOException {
        assertEquals(
                Arrays.asList(Collections.singletonList("a"), Collections.singletonList(""), Collections.singletonList("b")),
                new CsvReader(new StringReader("a\n\nb\n")).readAll());
    }

    @Test
    public void otherSeparator() throws IOException {
        assertEquals(Arrays.asList("1,5", "2"), new CsvReader(new StringReader("1,5;2"), ';').read());
    }

    @Test
    public void quotedSeparator() throws IOException {
        assertEquals(Arrays.asList("a,b", "c"), record("\"a,b\",c\n"));
    }

    @Test
    public void quotedLineFeed() throws IOException {
        assertEquals(Arrays.asList("a\nb", "c"), record("\"a\nb\",c\n"));
    }

    @Test
    public void emptyQuotedField() throws IOException {
        assertEquals(Arrays.asList("", "x"), record("\"\",x"));
    }

    @Test
    public void markWithinPlainField() throws IOException {
        assertEquals(Arrays.asList("5\" disk", "1"), record("5\" disk,1"));
    }

    @Test
    public void doubledMarkStandsForOne() throws IOException {
        assertEquals(Arrays.asList("a \"fine\" day", "b"), record("\"a \"\"fine\"\" day\",b"));
    }

    @Test
    public void missingMarkNamesTheLineOfTheRecord() throws IOException {
        CsvReader reader = new CsvReader(new StringReader("a\n\"b\nc"));
        reader.read();
        try {
            reader.read();
            fail();
        } catch (CsvException e) {
            assertEquals(2, e.line());
        }
    }

    @Test
    public void recordsBehindQuotedLineFeeds() throws IOException {
        CsvReader reader = new CsvReader(new StringReader("\"a\n\n\"\nb"));
        assertEquals(Collections.singletonList("a\n\n"), reader.read());
        assertEquals(Collections.singletonList("b"), reader.read());
        assertNull(reader.read());
    }

    @Test(expected = IllegalArgumentException.class)
    public void markIsNoSeparator() {
        new CsvReader(new StringReader(""), '"');
    }

    @Test
    public void writerQuotesWhatItMust() {
        assertEquals("a,\"b,c\",\"say \"\"x\"\"\"\n", new CsvWriter().write("a", "b,c", "say \"x\"").toString());
    }
}
