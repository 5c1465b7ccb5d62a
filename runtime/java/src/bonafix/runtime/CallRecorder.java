package bonafix.runtime;

import java.io.ByteArrayOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.Array;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Writes down what tests pass to methods with call probes: one frame for each call, and one for each exception that left
 * such a method. Switched on by the system property {@code bonafix.calls}, the file to write to.
 *
 * <p>Everything is bounded: calls of one method, depth and length of values, objects that are told apart, frames.
 */
final class CallRecorder implements Probes.Recorder {
    /** A VM begins; what is told of objects before and after it is not about the same ones. */
    static final int FRAME_BEGIN = 0;
    static final int FRAME_CALL = 1;
    static final int FRAME_THROWN = 2;

    static final int NULL = 0;
    static final int BOOLEAN = 1;
    static final int BYTE = 2;
    static final int SHORT = 3;
    static final int INT = 4;
    static final int LONG = 5;
    static final int CHAR = 6;
    static final int FLOAT = 7;
    static final int DOUBLE = 8;
    static final int TEXT = 9;
    static final int ENUM = 10;
    static final int CLASS = 11;
    static final int NUMBER = 12;
    static final int ARRAY = 13;
    static final int LIST = 14;
    static final int SET = 15;
    static final int MAP = 16;
    static final int OBJECT = 17;

    private static final String PROPERTY = "bonafix.calls";
    private static final int MAX_PER_METHOD = 200;
    private static final int MAX_FRAMES = 20_000;
    private static final int MAX_OBJECTS = 10_000;
    private static final int MAX_ITEMS = 64;
    private static final int MAX_TEXT = 2000;
    private static final int DEPTH = 3;

    private static volatile String test = "";

    private final OutputStream out;
    private final Map<Integer, Set<String>> known = new HashMap<>();
    private final Map<Object, Integer> objects = new IdentityHashMap<>();
    /** How many watched calls a thread is in. */
    private final ThreadLocal<int[]> nesting = new ThreadLocal<int[]>() {
        @Override
        protected int[] initialValue() {
            return new int[1];
        }
    };
    private int frames;

    private CallRecorder(OutputStream out) {
        this.out = out;
    }

    /** Begins to record if somebody asked for it. */
    static void installIfAsked() throws IOException {
        String file = System.getProperty(PROPERTY);
        if (file != null) {
            // A second VM goes on where the first one was stopped.
            OutputStream out = new FileOutputStream(file, true);
            new PayloadWriter().u8(FRAME_BEGIN).writeFrame(out);
            Probes.record(new CallRecorder(out));
        }
    }

    static void testStarted(String id) {
        test = id;
    }

    @Override
    public void enter(Object[] values, int call) {
        int depth = nesting.get()[0]++;
        PayloadWriter content = new PayloadWriter().u32(call).flag(depth > 0).u32(values.length);
        synchronized (this) {
            for (Object value : values) {
                put(content, value, DEPTH);
            }
            send(FRAME_CALL, call, content);
        }
    }

    @Override
    public void exit(Object result, int call) {
        leave();
    }

    @Override
    public void thrown(Throwable thrown, int call) {
        leave();
        synchronized (this) {
            send(FRAME_THROWN, call, new PayloadWriter().u32(call).string(thrown.getClass().getName()));
        }
    }

    private void leave() {
        int[] depth = nesting.get();
        depth[0] = Math.max(0, depth[0] - 1);
    }

    /** Sends what was not sent of this method before. */
    private void send(int kind, int call, PayloadWriter content) {
        try {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            content.writeFrame(bytes);
            String key = kind + ":" + bytes.toString("ISO-8859-1");
            Set<String> calls = known.get(call);
            if (calls == null) {
                calls = new HashSet<>();
                known.put(call, calls);
            }
            if (frames >= MAX_FRAMES || calls.size() >= MAX_PER_METHOD || !calls.add(key)) {
                return;
            }
            frames++;
            new PayloadWriter().u8(kind).string(test).bytes(bytes.toByteArray()).writeFrame(out);
        } catch (IOException full) {
            frames = MAX_FRAMES;
        }
    }

    private void put(PayloadWriter frame, Object value, int depth) {
        if (value == null) {
            frame.u8(NULL);
        } else if (value instanceof Boolean) {
            frame.u8(BOOLEAN).flag((Boolean) value);
        } else if (value instanceof Byte) {
            frame.u8(BYTE).u64((Byte) value);
        } else if (value instanceof Short) {
            frame.u8(SHORT).u64((Short) value);
        } else if (value instanceof Integer) {
            frame.u8(INT).u64((Integer) value);
        } else if (value instanceof Long) {
            frame.u8(LONG).u64((Long) value);
        } else if (value instanceof Character) {
            frame.u8(CHAR).u32((Character) value);
        } else if (value instanceof Float) {
            frame.u8(FLOAT).u32(Float.floatToRawIntBits((Float) value));
        } else if (value instanceof Double) {
            frame.u8(DOUBLE).u64(Double.doubleToRawLongBits((Double) value));
        } else if (value instanceof String && ((String) value).length() <= MAX_TEXT) {
            putText(frame.u8(TEXT), (String) value);
        } else if (value instanceof Enum) {
            frame.u8(ENUM).string(((Enum<?>) value).getDeclaringClass().getName()).string(((Enum<?>) value).name());
        } else if (value instanceof Class) {
            frame.u8(CLASS).string(((Class<?>) value).getName());
        } else if (value.getClass() == BigDecimal.class || value.getClass() == BigInteger.class) {
            frame.u8(NUMBER).string(value.getClass().getName()).string(value.toString());
        } else {
            putCompound(frame, value, depth);
        }
    }

    private static void putText(PayloadWriter frame, String text) {
        frame.u32(text.length());
        for (int i = 0; i < text.length(); i++) {
            frame.u8(text.charAt(i) >> 8).u8(text.charAt(i));
        }
    }

    private void putCompound(PayloadWriter frame, Object value, int depth) {
        Class<?> type = value.getClass();
        // Other collections are of the subject: to look into them is to run it.
        boolean isPlain = type.getName().startsWith("java.util.");
        if (depth > 0 && type.isArray() && Array.getLength(value) <= MAX_ITEMS) {
            frame.u8(ARRAY).string(nameOf(type.getComponentType())).u32(Array.getLength(value));
            for (int i = 0; i < Array.getLength(value); i++) {
                put(frame, Array.get(value, i), depth - 1);
            }
        } else if (depth > 0 && isPlain && isSmall(value)) {
            if (value instanceof Map) {
                frame.u8(MAP).u32(((Map<?, ?>) value).size() * 2);
                for (Map.Entry<?, ?> entry : ((Map<?, ?>) value).entrySet()) {
                    put(frame, entry.getKey(), depth - 1);
                    put(frame, entry.getValue(), depth - 1);
                }
                return;
            }
            frame.u8(value instanceof List ? LIST : SET).u32(((Collection<?>) value).size());
            for (Object item : (Collection<?>) value) {
                put(frame, item, depth - 1);
            }
        } else {
            frame.u8(OBJECT).string(type.getName()).u32(numberOf(value));
        }
    }

    private static boolean isSmall(Object value) {
        return value instanceof Map && ((Map<?, ?>) value).size() <= MAX_ITEMS
                || (value instanceof List || value instanceof Set) && ((Collection<?>) value).size() <= MAX_ITEMS;
    }

    private static String nameOf(Class<?> type) {
        return type.isArray() ? nameOf(type.getComponentType()) + "[]" : type.getName();
    }

    /** The same for the same object; 0 for those beyond the bound. */
    private int numberOf(Object value) {
        Integer number = objects.get(value);
        if (number == null && objects.size() < MAX_OBJECTS) {
            number = objects.size() + 1;
            objects.put(value, number);
        }
        return number == null ? 0 : number;
    }
}
