package bonafix.runtime.arena;

import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Calendar;
import java.util.Collection;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Writes down what is seen of values, so that two versions that did the same wrote the same bytes.
 *
 * <p>No identity gets in: cycles are told by the way up, and what has no order is sorted by its own bytes.
 */
final class Observer {
    private static final int NULL = 0;
    private static final int FALSE = 1;
    private static final int TRUE = 2;
    private static final int BYTE = 3;
    private static final int SHORT = 4;
    private static final int INT = 5;
    private static final int LONG = 6;
    private static final int CHAR = 7;
    private static final int FLOAT = 8;
    private static final int DOUBLE = 9;
    private static final int TEXT = 10;
    private static final int LONG_TEXT = 11;
    private static final int ENUM = 12;
    private static final int VALUED = 13;
    private static final int COLLECTION = 14;
    private static final int MAP = 15;
    private static final int OBJECT = 16;
    private static final int OPAQUE = 17;
    private static final int BACK = 18;
    private static final int DEEP = 19;

    private static final int COLLECTION_ARRAY = 0;
    private static final int COLLECTION_LIST = 1;
    private static final int COLLECTION_SET = 2;
    private static final int COLLECTION_OTHER = 3;
    private static final int COLLECTION_OPTIONAL = 4;

    private static final int STEP_RESULT = 1;
    private static final int STEP_RECEIVER = 2;
    private static final int STEP_THROWN = 4;
    private static final int STEP_STATICS = 8;

    private static final int STEP = 1;
    private static final int END = 2;
    static final int COMPLETED = 0;
    static final int THREW = 1;
    static final int NULL_RECEIVER = 2;
    static final int MISMATCH = 3;
    static final int UNAVAILABLE = 4;

    private static final int MAX_TEXT = 4096;
    private static final int LONG_TEXT_SHOWN = 256;
    private static final int MAX_MESSAGE = 2048;
    private static final int MAX_ITEMS = 256;
    /** Beyond so many, not even their number of bytes is reckoned with. */
    private static final int MAX_LOOKED_AT = 50_000;
    private static final int MAX_BYTES = 1 << 20;
    /** A value that takes more is looked at less deeply: what the last call made and left behind. */
    private static final int MAX_LAST_BYTES = 1 << 14;
    /** And what calls before it made. */
    private static final int MAX_EARLIER_BYTES = 1 << 12;
    /** How deep such a value is looked at, one after the other, until it is small enough. */
    private static final int[] SHALLOWER = {3, 2, 1};
    private static final TooLarge TOO_LARGE = new TooLarge();

    final ByteSink sink = new ByteSink();
    private final Names names;
    private final int fieldMessage;
    private final int fieldCause;
    private final int fieldKey;
    private final int fieldValue;
    private final int fieldInherited;
    private final int typeStatics;
    private final StaticsWatch watch;
    /** Static fields of the classes that were called, each class once. */
    private final List<Statics> touched = new ArrayList<>();
    /** Of what the static fields held in the end; 0 if they were not looked at. */
    long staticsDigest;
    /** How far the bytes reached before long collections were cut short. */
    private int widest;
    private World world;
    private int depthLimit;
    private Object[] way = new Object[8];
    private int depth;
    /** Where what is written of a value must end, lest it be too large. */
    private int room = Integer.MAX_VALUE;
    /** How much less deep than allowed each value was looked at, in the order of values. */
    private byte[] cuts = new byte[16];
    private int cutCount;
    /** The observer of another version in the same run, whose depths are taken over. */
    private Observer leader;

    Observer(Names names, StaticsWatch watch) {
        this.names = names;
        this.watch = watch;
        fieldMessage = names.number("message");
        fieldCause = names.number("cause");
        fieldKey = names.number("key");
        fieldValue = names.number("value");
        fieldInherited = names.number("super");
        typeStatics = names.number("static");
    }

    /** Of a sequence; as deep as another version was looked at, if there is one. */
    void begin(World world, int depthLimit, Observer leader) {
        this.world = world;
        this.leader = leader;
        cutCount = 0;
        this.depthLimit = depthLimit;
        if (way.length <= depthLimit) {
            way = new Object[depthLimit + 1];
        }
        depth = 0;
        touched.clear();
        staticsDigest = 0;
        sink.clear();
    }

    /** A call is under way; its class may keep something in static fields. */
    void calls(Linked callable) {
        Statics statics = callable.statics(world, names);
        if (statics != Statics.NONE && watch.wants(statics) && !touched.contains(statics)) {
            touched.add(statics);
        }
    }

    /** A call that made something; and what it was given, after it. */
    void returned(int number, Linked callable, Object[] arguments, Object result, boolean withState) {
        boolean hasResult = !callable.isVoid;
        boolean hasReceiver = withState && callable.needsReceiver;
        boolean hasStatics = withState && !touched.isEmpty();
        step(number, (hasResult ? STEP_RESULT : 0) | (hasReceiver ? STEP_RECEIVER : 0) | (hasStatics ? STEP_STATICS : 0));
        if (hasResult) {
            whole(result, withState ? MAX_LAST_BYTES : MAX_EARLIER_BYTES);
        }
        state(callable, arguments, withState);
        if (hasStatics) {
            statics();
        }
    }

    /** A call that threw, which ends the sequence. */
    void failed(int number, Linked callable, Object[] arguments) {
        step(number, (callable.needsReceiver ? STEP_RECEIVER : 0) | (touched.isEmpty() ? 0 : STEP_STATICS));
        state(callable, arguments, true);
        if (!touched.isEmpty()) {
            statics();
        }
    }

    /** A call that threw, and the sequence goes on. */
    void caught(int number, Linked callable, Object[] arguments, Throwable thrown) {
        step(number, STEP_THROWN | (callable.needsReceiver ? STEP_RECEIVER : 0));
        state(callable, arguments, true);
        exception(thrown);
    }

    private void step(int number, int flags) {
        sink.u8(STEP);
        sink.number(number);
        sink.u8(flags);
    }

    private void state(Linked callable, Object[] arguments, boolean withState) {
        if (withState && callable.needsReceiver) {
            whole(arguments[0], MAX_LAST_BYTES);
        }
        int first = callable.needsReceiver ? 1 : 0;
        int changeable = 0;
        for (int i = first; withState && i < arguments.length; i++) {
            changeable += isChangeable(arguments[i]) ? 1 : 0;
        }
        sink.number(changeable);
        for (int i = first; withState && i < arguments.length; i++) {
            if (isChangeable(arguments[i])) {
                sink.number(i - first);
                whole(arguments[i], MAX_LAST_BYTES);
            }
        }
    }

    /** As an object whose fields are named with their class. */
    private void statics() {
        int start = sink.size;
        while (!staticsWritten()) {
            sink.size = start;
        }
        staticsDigest = ByteSink.digest(sink.bytes, start, sink.size);
    }

    /** False if a class turned out to hold too much, or what cannot be read; it is left out from then on. */
    private boolean staticsWritten() {
        int count = 0;
        for (Statics statics : touched) {
            count += statics.fields.length;
        }
        pseudo(typeStatics, count);
        for (Statics statics : touched) {
            int before = sink.size;
            widest = before;
            try {
                fields(null, statics.fields);
            } catch (OutOfMemoryError full) {
                throw full;
            } catch (Throwable unreadable) {
                watch.leaveOut(statics);
            }
            if (Math.max(widest, sink.size) - before > Statics.MAX_BYTES) {
                watch.leaveOut(statics);
            }
        }
        return !touched.removeIf(statics -> !watch.wants(statics));
    }

    private static boolean isChangeable(Object value) {
        return !(value == null || value instanceof String || value instanceof Integer || value instanceof Double
                || value instanceof Boolean || value instanceof Long || value instanceof Character
                || value instanceof Number && value.getClass().getName().startsWith("java.lang.")
                || value instanceof Class || value instanceof Enum);
    }

    void end(int kind, int step) {
        sink.u8(END);
        sink.u8(kind);
        sink.number(step);
    }

    void mismatch(int step, Object found) {
        end(MISMATCH, step);
        sink.number(found == null ? names.number("null") : shape(found.getClass()).name);
    }

    void threw(int step, Throwable thrown) {
        end(THREW, step);
        exception(thrown);
    }

    private void exception(Throwable thrown) {
        boolean overflow = thrown instanceof StackOverflowError;
        sink.number(names.number(Shape.name(thrown.getClass(), Shape.Kind.THROWABLE)));
        String written = overflow ? null : messageOf(thrown);
        String message = written == null ? null : world.hashes.covered(written);
        sink.u8(message == null ? 0 : 1);
        if (message != null) {
            sink.text(message, Math.min(message.length(), MAX_MESSAGE));
        }
        StackTraceElement[] frames = overflow ? null : framesOf(thrown);
        int place = frames == null ? -1 : uppermost(frames);
        place(place < 0 ? null : frames[place]);
        place(place < 1 || !hasSteadyName(frames[place - 1]) ? null : frames[place - 1]);
        Shape shape = shape(thrown.getClass());
        boolean holdsSomething = shape.kind == Shape.Kind.OBJECT && shape.fields.length > 0
                && world.isSubject(thrown.getClass());
        sink.u8(holdsSomething ? 1 : 0);
        if (holdsSomething) {
            contentsOf(thrown, shape);
        }
    }

    /** What an exception of the subject holds in fields of its own; message and place are seen besides. */
    private void contentsOf(Throwable thrown, Shape shape) {
        int start = sink.size;
        way[depth++] = thrown;
        try {
            pseudo(shape.name, shape.fields.length);
            fields(thrown, shape.fields);
        } catch (OutOfMemoryError full) {
            throw full;
        } catch (Throwable broken) {
            sink.size = start;
            unobservable(broken);
        }
        depth = 0;
        way[0] = null;
    }

    private static String messageOf(Throwable thrown) {
        try {
            return thrown.getMessage();
        } catch (OutOfMemoryError full) {
            throw full;
        } catch (Throwable broken) {
            return null;
        }
    }

    private void place(StackTraceElement frame) {
        sink.number(frame == null ? 0 : names.number(frame.getClassName() + "." + frame.getMethodName()) + 1);
    }

    private static StackTraceElement[] framesOf(Throwable thrown) {
        try {
            return thrown.getStackTrace();
        } catch (OutOfMemoryError full) {
            throw full;
        } catch (Throwable broken) {
            return null;
        }
    }

    /** The uppermost method of the subject; -1 if there is none. */
    private int uppermost(StackTraceElement[] frames) {
        for (int i = 0; i < frames.length; i++) {
            if (world.isSubject(frames[i].getClassName())) {
                return i;
            }
        }
        return -1;
    }

    /** Proxies, lambdas and accessors have a number in their name, which is another one in each run. */
    private static boolean hasSteadyName(StackTraceElement frame) {
        String name = frame.getClassName();
        return name.indexOf('$') < 0 && name.indexOf('/') < 0 && !name.startsWith("sun.") && !name.startsWith("jdk.");
    }

    private Shape shape(Class<?> type) {
        Shape shape = world.shapes.get(type);
        if (shape == null) {
            shape = Shape.of(type, names);
            world.shapes.put(type, shape);
        }
        return shape;
    }

    /**
     * A value with all that it holds, less deep if that is too much. Versions must not differ because one of them was
     * looked at less deeply: the first decides for all, and the others take the same ways in vain that it took.
     */
    private void whole(Object value, int most) {
        int index = cutCount;
        int wanted = leader != null && index < leader.cutCount ? leader.cuts[index] : -1;
        int allowed = depthLimit;
        int start = sink.size;
        int cut = 0;
        while (!wrote(value, start + most, cut, wanted)) {
            sink.size = start;
            depthLimit = Math.min(allowed, SHALLOWER[cut++]);
        }
        depthLimit = allowed;
        note(cut);
    }

    /** Whether that much of a value is what is to be seen of it. */
    private boolean wrote(Object value, int end, int cut, int wanted) {
        boolean isLast = cut == SHALLOWER.length || cut == wanted;
        room = isLast ? Integer.MAX_VALUE : end;
        try {
            value(value);
            return isLast || wanted < 0;
        } catch (TooLarge more) {
            Arrays.fill(way, null);
            depth = 0;
            return false;
        } finally {
            room = Integer.MAX_VALUE;
        }
    }

    private void note(int cut) {
        if (cutCount == cuts.length) {
            cuts = Arrays.copyOf(cuts, 2 * cutCount);
        }
        cuts[cutCount++] = (byte) cut;
    }

    private void value(Object value) {
        if (value == null) {
            sink.u8(NULL);
            return;
        }
        Shape shape = shape(value.getClass());
        switch (shape.kind) {
            case BOOLEAN:
                sink.u8((Boolean) value ? TRUE : FALSE);
                break;
            case BYTE:
                integer(BYTE, (Byte) value);
                break;
            case SHORT:
                integer(SHORT, (Short) value);
                break;
            case INT:
                integer(INT, (Integer) value);
                break;
            case LONG:
                integer(LONG, (Long) value);
                break;
            case CHAR:
                sink.u8(CHAR);
                sink.number((Character) value);
                break;
            case FLOAT:
                floating((Float) value);
                break;
            case DOUBLE:
                floating((Double) value);
                break;
            case TEXT:
                text((String) value);
                break;
            case CLASS:
                valued(shape, ((Class<?>) value).getName());
                break;
            case ENUM:
                sink.u8(ENUM);
                sink.number(shape.name);
                sink.number(names.number(((Enum<?>) value).name()));
                break;
            case OPAQUE:
                sink.u8(OPAQUE);
                sink.number(shape.name);
                break;
            default:
                guarded(value, shape);
        }
    }

    private void integer(int tag, long value) {
        sink.u8(tag);
        sink.signed(value);
    }

    private void floating(float value) {
        sink.u8(FLOAT);
        sink.u32(Float.floatToIntBits(value));
    }

    private void floating(double value) {
        sink.u8(DOUBLE);
        sink.u64(Double.doubleToLongBits(value));
    }

    private void text(String written) {
        String text = world.hashes.covered(written);
        if (text.length() <= MAX_TEXT) {
            sink.u8(TEXT);
            sink.text(text, text.length());
            return;
        }
        sink.u8(LONG_TEXT);
        sink.text(text, LONG_TEXT_SHOWN);
        sink.number(text.length());
        long digest = 0;
        for (int i = 0; i < text.length(); i++) {
            digest = digest * 31 + text.charAt(i);
        }
        sink.u64(digest);
    }

    private void valued(Shape shape, String written) {
        String text = world.hashes.covered(written);
        sink.u8(VALUED);
        sink.number(shape.name);
        sink.text(text, Math.min(text.length(), MAX_TEXT));
    }

    /** What may run code of the subject, or throw because of what the subject did to it. */
    private void guarded(Object value, Shape shape) {
        int start = sink.size;
        int depthBefore = depth;
        try {
            structure(value, shape);
        } catch (OutOfMemoryError | TooLarge ended) {
            throw ended;
        } catch (Throwable broken) {
            sink.size = start;
            depth = depthBefore;
            unobservable(broken);
        }
    }

    private void unobservable(Throwable broken) {
        sink.u8(OPAQUE);
        sink.number(names.number("unobservable " + broken.getClass().getName()));
    }

    private void structure(Object value, Shape shape) throws Exception {
        switch (shape.kind) {
            case VALUED:
                valued(shape, value.toString());
                return;
            case DATE:
                valued(shape, java.time.Instant.ofEpochMilli(((Date) value).getTime()).toString());
                return;
            case CALENDAR:
                Calendar calendar = (Calendar) value;
                valued(shape, java.time.Instant.ofEpochMilli(calendar.getTimeInMillis()) + " in "
                        + calendar.getTimeZone().getID());
                return;
            case PATTERN_FORMAT:
                valued(shape, value instanceof java.text.SimpleDateFormat
                        ? ((java.text.SimpleDateFormat) value).toPattern()
                        : ((java.text.DecimalFormat) value).toPattern());
                return;
            default:
                nested(value, shape);
        }
    }

    private void nested(Object value, Shape shape) throws Exception {
        for (int i = depth - 1; i >= 0; i--) {
            if (way[i] == value) {
                sink.u8(BACK);
                sink.number(depth - i);
                return;
            }
        }
        if (sink.size > room) {
            throw TOO_LARGE;
        }
        if (depth > depthLimit || sink.size > MAX_BYTES) {
            sink.u8(DEEP);
            sink.number(shape.name);
            return;
        }
        way[depth++] = value;
        contents(value, shape);
        way[--depth] = null;
    }

    private void contents(Object value, Shape shape) throws Exception {
        switch (shape.kind) {
            case ARRAY:
                array(value, shape);
                break;
            case LIST:
            case SET:
            case COLLECTION:
                collection((Collection<?>) value, shape.kind, shape.ordered);
                break;
            case MAP:
                map((Map<?, ?>) value, shape.ordered);
                break;
            case OPTIONAL:
                optional(value);
                break;
            case ENTRY:
                Map.Entry<?, ?> entry = (Map.Entry<?, ?>) value;
                pseudo(names.number("java.util.Map$Entry"), 2);
                field(fieldKey, entry.getKey());
                field(fieldValue, entry.getValue());
                break;
            case REFERENCE:
                pseudo(shape.name, 1);
                field(fieldValue, ((AtomicReference<?>) value).get());
                break;
            case THROWABLE:
                pseudo(shape.name, 2);
                throwable((Throwable) value);
                break;
            default:
                object(value, shape);
        }
    }

    private void pseudo(int name, int fields) {
        sink.u8(OBJECT);
        sink.number(name);
        sink.number(fields);
    }

    private void field(int name, Object value) {
        sink.number(name);
        sink.u8(1);
        value(value);
    }

    private void throwable(Throwable thrown) {
        field(fieldMessage, messageOf(thrown));
        field(fieldCause, thrown.getCause());
    }

    private void object(Object value, Shape shape) throws Exception {
        boolean isThrowable = shape.inherited == Shape.Kind.THROWABLE;
        int more = shape.inherited == null ? 0 : isThrowable ? 2 : 1;
        pseudo(shape.name, shape.fields.length + more);
        fields(value, shape.fields);
        if (isThrowable) {
            throwable((Throwable) value);
        } else if (more > 0) {
            sink.number(fieldInherited);
            sink.u8(1);
            inherited(value, shape);
        }
    }

    private void fields(Object value, Shape.FieldShape[] fields) throws IllegalAccessException {
        for (Shape.FieldShape field : fields) {
            sink.number(field.name);
            sink.u8(field.visible ? 1 : 0);
            if (field.primitive == null) {
                value(field.field.get(value));
            } else {
                primitive(field, value);
            }
        }
    }

    /** What a class of the subject keeps in a collection or date of the JDK that it extends. */
    private void inherited(Object value, Shape shape) throws Exception {
        switch (shape.inherited) {
            case LIST:
            case SET:
            case COLLECTION:
                collection((Collection<?>) value, shape.inherited, shape.ordered);
                break;
            case MAP:
                map((Map<?, ?>) value, shape.ordered);
                break;
            case DATE:
                integer(LONG, ((Date) value).getTime());
                break;
            case CALENDAR:
                integer(LONG, ((Calendar) value).getTimeInMillis());
                break;
            default:
                sink.u8(NULL);
        }
    }

    private void primitive(Shape.FieldShape field, Object holder) throws IllegalAccessException {
        Class<?> type = field.primitive;
        if (type == int.class) {
            integer(INT, field.field.getInt(holder));
        } else if (type == long.class) {
            integer(LONG, field.field.getLong(holder));
        } else if (type == boolean.class) {
            sink.u8(field.field.getBoolean(holder) ? TRUE : FALSE);
        } else if (type == double.class) {
            floating(field.field.getDouble(holder));
        } else {
            value(field.field.get(holder));
        }
    }

    private void optional(Object value) {
        Object held = null;
        boolean present;
        if (value instanceof Optional) {
            present = ((Optional<?>) value).isPresent();
            held = present ? ((Optional<?>) value).get() : null;
        } else if (value instanceof OptionalInt) {
            present = ((OptionalInt) value).isPresent();
            held = present ? ((OptionalInt) value).getAsInt() : null;
        } else if (value instanceof OptionalLong) {
            present = ((OptionalLong) value).isPresent();
            held = present ? ((OptionalLong) value).getAsLong() : null;
        } else {
            present = ((OptionalDouble) value).isPresent();
            held = present ? ((OptionalDouble) value).getAsDouble() : null;
        }
        header(COLLECTION_OPTIONAL, true, present ? 1 : 0);
        sink.number(present ? 1 : 0);
        if (present) {
            value(held);
        }
        sink.u8(0);
    }

    private void header(int kind, boolean ordered, int length) {
        sink.u8(COLLECTION);
        sink.u8(kind);
        sink.u8(ordered ? 1 : 0);
        sink.number(length);
    }

    private void array(Object array, Shape shape) {
        int length = Array.getLength(array);
        header(COLLECTION_ARRAY, true, length);
        sink.number(shape.name);
        Items items = new Items(Math.min(length, MAX_LOOKED_AT));
        for (int i = 0; i < length && items.wantsMore(); i++) {
            items.start();
            element(array, i);
        }
        items.finish(true);
    }

    private void element(Object array, int index) {
        if (array instanceof Object[]) {
            value(((Object[]) array)[index]);
        } else if (array instanceof int[]) {
            integer(INT, ((int[]) array)[index]);
        } else if (array instanceof byte[]) {
            integer(BYTE, ((byte[]) array)[index]);
        } else if (array instanceof char[]) {
            sink.u8(CHAR);
            sink.number(((char[]) array)[index]);
        } else if (array instanceof double[]) {
            floating(((double[]) array)[index]);
        } else if (array instanceof long[]) {
            integer(LONG, ((long[]) array)[index]);
        } else {
            value(Array.get(array, index));
        }
    }

    private void collection(Collection<?> collection, Shape.Kind kind, boolean ordered) {
        int tag = kind == Shape.Kind.LIST ? COLLECTION_LIST : kind == Shape.Kind.SET ? COLLECTION_SET : COLLECTION_OTHER;
        int size = collection.size();
        header(tag, ordered, size);
        Items items = new Items(Math.max(0, Math.min(size, MAX_LOOKED_AT)));
        for (Object item : collection) {
            if (!items.wantsMore()) {
                break;
            }
            items.start();
            value(item);
        }
        items.finish(ordered);
    }

    private void map(Map<?, ?> map, boolean ordered) {
        sink.u8(MAP);
        sink.u8(ordered ? 1 : 0);
        int size = map.size();
        sink.number(size);
        Items items = new Items(Math.max(0, Math.min(size, MAX_LOOKED_AT)));
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            if (!items.wantsMore()) {
                break;
            }
            items.start();
            value(entry.getKey());
            value(entry.getValue());
        }
        items.finish(ordered);
    }

    /** Ends looking at a value that is too large; one for all. */
    private static final class TooLarge extends Error {
        private static final long serialVersionUID = 1;

        TooLarge() {
            super("too large", null, false, false);
        }
    }

    /** Elements as they are written, to be sorted and cut short once all are there. */
    private final class Items {
        private final int begin = sink.size;
        private int[] starts;
        private int count;

        Items(int expected) {
            starts = new int[expected + 1];
        }

        /** An object that grows while it is looked at ends here as well. */
        boolean wantsMore() {
            return count < MAX_LOOKED_AT && sink.size <= 2 * MAX_BYTES;
        }

        void start() {
            if (count + 1 >= starts.length) {
                starts = Arrays.copyOf(starts, starts.length * 2 + 1);
            }
            starts[count++] = sink.size;
        }

        /** Puts the number of elements shown in front, and the digest of the rest behind. */
        void finish(boolean ordered) {
            starts[count] = sink.size;
            widest = Math.max(widest, sink.size);
            if (count <= MAX_ITEMS && (ordered || count < 2)) {
                insertCount();
                sink.u8(0);
                return;
            }
            byte[] written = Arrays.copyOfRange(sink.bytes, begin, sink.size);
            Integer[] order = new Integer[count];
            for (int i = 0; i < count; i++) {
                order[i] = i;
            }
            if (!ordered) {
                Arrays.sort(order, (one, other) -> compare(written, one, other));
            }
            sink.size = begin;
            int shown = Math.min(count, MAX_ITEMS);
            sink.number(shown);
            long digest = 1;
            for (int i = 0; i < count; i++) {
                int from = starts[order[i]] - begin;
                int to = starts[order[i] + 1] - begin;
                if (i < shown) {
                    sink.append(written, from, to - from);
                } else {
                    digest = digest * 31 + ByteSink.digest(written, from, to);
                }
            }
            sink.u8(count > shown ? 1 : 0);
            if (count > shown) {
                sink.u64(digest);
            }
        }

        private void insertCount() {
            int length = sink.size - begin;
            int before = sink.size;
            sink.number(count);
            int width = sink.size - before;
            byte[] bytes = sink.bytes;
            byte[] head = Arrays.copyOfRange(bytes, before, sink.size);
            System.arraycopy(bytes, begin, bytes, begin + width, length);
            System.arraycopy(head, 0, bytes, begin, width);
        }

        private int compare(byte[] written, int one, int other) {
            int i = starts[one] - begin;
            int j = starts[other] - begin;
            int endOfOne = starts[one + 1] - begin;
            int endOfOther = starts[other + 1] - begin;
            for (; i < endOfOne && j < endOfOther; i++, j++) {
                int difference = (written[i] & 0xff) - (written[j] & 0xff);
                if (difference != 0) {
                    return difference;
                }
            }
            return (endOfOne - i) - (endOfOther - j);
        }
    }
}
