package bonafix.runtime.arena;

import bonafix.runtime.PayloadReader;
import java.io.IOException;

/** One step of a sequence, as the driver sent it. */
final class Step {
    private static final int[] NONE = {};

    final int kind;
    /** The value of a constant, where it is the same in all versions. */
    final Object constant;
    /** A class literal, the element type of an array, or what a stub stands for. */
    final String type;
    final int callable;
    /** The receiver first, where there is one. */
    final int[] slots;
    final boolean hasReceiver;
    /** An exception of this call does not end the sequence, but is its value. */
    final boolean caught;

    private Step(int kind, Object constant, String type, int callable, int[] slots, int flags) {
        this.kind = kind;
        this.constant = constant;
        this.type = type;
        this.callable = callable;
        this.slots = slots;
        hasReceiver = (flags & ArenaProtocol.CALL_HAS_RECEIVER) != 0;
        caught = (flags & ArenaProtocol.CALL_CAUGHT) != 0;
    }

    static Step[] readSequence(PayloadReader in, String[] names, int callables) throws IOException {
        Step[] steps = new Step[in.count()];
        for (int i = 0; i < steps.length; i++) {
            steps[i] = read(in, names, callables, i);
        }
        return steps;
    }

    private static Step read(PayloadReader in, String[] names, int callables, int number) throws IOException {
        int kind = in.u8();
        switch (kind) {
            case ArenaProtocol.STEP_CONSTANT:
                return constant(in, names);
            case ArenaProtocol.STEP_CALL:
                int callable = in.u32();
                if (callable < 0 || callable >= callables) {
                    throw new IOException("there is no callable " + callable);
                }
                int flags = in.u8();
                return new Step(kind, null, null, callable, slots(in, number), flags);
            case ArenaProtocol.STEP_ARRAY:
            case ArenaProtocol.STEP_STUB:
                String type = name(names, in.u32());
                return new Step(kind, null, type, 0, slots(in, number), 0);
            default:
                throw new IOException("there is no step of kind " + kind);
        }
    }

    private static int[] slots(PayloadReader in, int number) throws IOException {
        int count = in.count();
        int[] slots = count == 0 ? NONE : new int[count];
        for (int i = 0; i < count; i++) {
            slots[i] = in.u32();
            if (slots[i] < 0 || slots[i] >= number) {
                throw new IOException("step " + number + " uses slot " + slots[i]);
            }
        }
        return slots;
    }

    private static String name(String[] names, int number) throws IOException {
        if (number < 0 || number >= names.length) {
            throw new IOException("there is no name " + number);
        }
        return names[number];
    }

    private static Step constant(PayloadReader in, String[] names) throws IOException {
        String type = name(names, in.u32());
        Object value = null;
        String className = null;
        switch (in.u8()) {
            case ArenaProtocol.LITERAL_NULL:
                break;
            case ArenaProtocol.LITERAL_BOOLEAN:
                value = in.u8() != 0;
                break;
            case ArenaProtocol.LITERAL_INTEGER:
                value = integer(type, in.u64());
                break;
            case ArenaProtocol.LITERAL_CHAR:
                value = (char) in.u32();
                break;
            case ArenaProtocol.LITERAL_FLOAT:
                value = Float.intBitsToFloat(in.u32());
                break;
            case ArenaProtocol.LITERAL_DOUBLE:
                value = Double.longBitsToDouble(in.u64());
                break;
            case ArenaProtocol.LITERAL_TEXT:
                char[] units = new char[in.count()];
                for (int i = 0; i < units.length; i++) {
                    units[i] = (char) (in.u8() << 8 | in.u8());
                }
                value = new String(units);
                break;
            case ArenaProtocol.LITERAL_CLASS:
                className = name(names, in.u32());
                break;
            default:
                throw new IOException("there is no such literal");
        }
        return new Step(ArenaProtocol.STEP_CONSTANT, value, className, 0, NONE, 0);
    }

    private static Object integer(String type, long value) {
        switch (type) {
            case "byte":
            case "java.lang.Byte":
                return (byte) value;
            case "short":
            case "java.lang.Short":
                return (short) value;
            case "long":
            case "java.lang.Long":
                return value;
            default:
                return (int) value;
        }
    }
}
