package bonafix.runtime.arena;

/** Of the JDK: what serves to make arguments. Erased parameter types; a dash stands for a static field. */
final class Helpers {
    static final String[] MEMBERS = {
        "java.util.ArrayList#<init>()", "java.util.ArrayList#add(java.lang.Object)",
        "java.util.LinkedList#<init>()", "java.util.LinkedList#add(java.lang.Object)",
        "java.util.Arrays#asList(java.lang.Object[])",
        "java.util.Collections#emptyList()", "java.util.Collections#emptyMap()", "java.util.Collections#emptySet()",
        "java.util.Collections#unmodifiableList(java.util.List)", "java.util.Collections#reverseOrder()",
        "java.util.HashMap#<init>()", "java.util.HashMap#put(java.lang.Object,java.lang.Object)",
        "java.util.LinkedHashMap#<init>()", "java.util.LinkedHashMap#put(java.lang.Object,java.lang.Object)",
        "java.util.TreeMap#<init>()", "java.util.TreeMap#put(java.lang.Object,java.lang.Object)",
        "java.util.HashSet#<init>()", "java.util.HashSet#add(java.lang.Object)",
        "java.util.LinkedHashSet#<init>()", "java.util.LinkedHashSet#add(java.lang.Object)",
        "java.util.TreeSet#<init>()", "java.util.TreeSet#add(java.lang.Object)",
        "java.util.Collection#add(java.lang.Object)", "java.util.Map#put(java.lang.Object,java.lang.Object)",
        "java.util.AbstractMap$SimpleEntry#<init>(java.lang.Object,java.lang.Object)",
        "java.util.EnumSet#noneOf(java.lang.Class)", "java.util.EnumSet#allOf(java.lang.Class)",
        "java.util.concurrent.ConcurrentHashMap#<init>()", "java.util.concurrent.CopyOnWriteArrayList#<init>()",
        "java.util.Comparator#naturalOrder()", "java.lang.String#-CASE_INSENSITIVE_ORDER",
        "java.util.Random#<init>(long)",
        "java.util.ArrayDeque#<init>()", "java.util.ArrayDeque#add(java.lang.Object)",
        "java.util.PriorityQueue#<init>()", "java.util.PriorityQueue#add(java.lang.Object)",
        "java.util.Properties#<init>()", "java.util.Properties#setProperty(java.lang.String,java.lang.String)",
        "java.util.BitSet#<init>()", "java.util.BitSet#set(int)",
        "java.util.Optional#of(java.lang.Object)", "java.util.Optional#empty()",
        "java.util.OptionalInt#of(int)", "java.util.OptionalInt#empty()",
        "java.util.OptionalDouble#of(double)", "java.util.OptionalLong#of(long)",
        "java.util.Collections#enumeration(java.util.Collection)", "java.util.List#listIterator()",
        "java.util.Collection#iterator()", "java.util.List#iterator()", "java.util.Collection#stream()",
        "java.util.Iterator#next()", "java.util.Iterator#hasNext()",
        "java.util.Date#<init>(long)", "java.util.GregorianCalendar#<init>(int,int,int)",
        "java.util.TimeZone#getTimeZone(java.lang.String)", "java.util.Locale#<init>(java.lang.String,java.lang.String)",
        "java.util.Locale#-ROOT", "java.util.Locale#-GERMANY", "java.util.Locale#-US",
        "java.util.Currency#getInstance(java.lang.String)", "java.util.regex.Pattern#matcher(java.lang.CharSequence)",
        "java.util.UUID#fromString(java.lang.String)", "java.util.regex.Pattern#compile(java.lang.String)",
        "java.util.stream.Stream#of(java.lang.Object[])", "java.util.stream.IntStream#of(int[])",
        "java.util.stream.DoubleStream#of(double[])", "java.util.stream.LongStream#of(long[])",
        "java.math.BigDecimal#<init>(java.lang.String)", "java.math.BigDecimal#valueOf(long,int)",
        "java.math.BigInteger#<init>(java.lang.String)", "java.math.BigInteger#valueOf(long)",
        "java.lang.StringBuilder#<init>(java.lang.String)", "java.lang.StringBuffer#<init>(java.lang.String)",
        "java.lang.Object#<init>()", "java.lang.RuntimeException#<init>(java.lang.String)",
        "java.lang.IllegalArgumentException#<init>(java.lang.String)", "java.lang.Exception#<init>(java.lang.String)",
        "java.util.concurrent.atomic.AtomicInteger#<init>(int)", "java.util.concurrent.atomic.AtomicLong#<init>(long)",
        "java.util.concurrent.atomic.AtomicReference#<init>(java.lang.Object)",
        "java.io.StringReader#<init>(java.lang.String)", "java.io.StringWriter#<init>()",
        "java.io.ByteArrayInputStream#<init>(byte[])", "java.io.ByteArrayOutputStream#<init>()",
        "java.io.BufferedReader#<init>(java.io.Reader)", "java.io.InputStreamReader#<init>(java.io.InputStream)",
        "java.io.PrintWriter#<init>(java.io.Writer)", "java.io.PrintStream#<init>(java.io.OutputStream)",
        "java.io.File#<init>(java.lang.String)", "java.net.URI#create(java.lang.String)",
        "java.nio.charset.StandardCharsets#-UTF_8", "java.nio.charset.StandardCharsets#-ISO_8859_1",
        "java.nio.CharBuffer#wrap(java.lang.CharSequence)", "java.nio.ByteBuffer#wrap(byte[])",
        "java.time.LocalDate#of(int,int,int)", "java.time.LocalTime#of(int,int,int)",
        "java.time.LocalDateTime#of(int,int,int,int,int)", "java.time.Instant#ofEpochMilli(long)",
        "java.time.Duration#ofMillis(long)", "java.time.Period#of(int,int,int)",
        "java.time.ZonedDateTime#of(java.time.LocalDateTime,java.time.ZoneId)",
        "java.time.OffsetDateTime#of(java.time.LocalDateTime,java.time.ZoneOffset)",
        "java.time.LocalDate#parse(java.lang.CharSequence)", "java.time.LocalDateTime#parse(java.lang.CharSequence)",
        "java.time.LocalTime#parse(java.lang.CharSequence)", "java.time.Duration#ofSeconds(long)",
        "java.time.YearMonth#of(int,int)", "java.time.Year#of(int)", "java.time.Instant#ofEpochSecond(long)",
        "java.time.format.DateTimeFormatter#ofPattern(java.lang.String)",
        "java.time.format.DateTimeFormatter#-ISO_LOCAL_DATE",
        "java.time.ZoneId#of(java.lang.String)", "java.time.ZoneOffset#-UTC",
        "java.text.NumberFormat#getInstance(java.util.Locale)",
        "java.text.SimpleDateFormat#<init>(java.lang.String)", "java.text.DecimalFormat#<init>(java.lang.String)",
    };

    /** Where constructors of further types that a subject mentions are taken from, and do no harm. */
    static final String[] PACKAGES = {
        "java.util.", "java.util.regex.", "java.util.concurrent.atomic.", "java.math.", "java.text.", "java.time.",
        "java.awt.geom.",
    };

    /** They have their own idea of time, chance or threads. */
    static final String[] UNWANTED = {
        "java.util.Timer", "java.util.TimerTask", "java.util.Random", "java.util.Scanner", "java.util.ServiceLoader",
        "java.util.SplittableRandom", "java.util.Formatter",
    };

    private Helpers() {
    }
}
