package bonafix.runtime.arena;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;

/**
 * Writes the class file of a class below an abstract one, whose methods ask an {@code IntFunction} for their answers.
 *
 * <p>There are no branches, so no stack maps are needed. The function is stored before the constructor above runs, as
 * compilers do it with what an anonymous class captures: the constructor may call what is abstract, and gets answers.
 */
final class SubclassWriter {
    private static final int JAVA_8 = 52;
    private static final int PUBLIC = 0x0001;
    private static final int PRIVATE_FINAL_SYNTHETIC = 0x0002 | 0x0010 | 0x1000;
    private static final int PUBLIC_FINAL_SUPER_SYNTHETIC = 0x0001 | 0x0010 | 0x0020 | 0x1000;

    private static final int UTF8 = 1;
    private static final int CLASS = 7;
    private static final int FIELD = 9;
    private static final int METHOD = 10;
    private static final int INTERFACE_METHOD = 11;
    private static final int NAME_AND_TYPE = 12;

    private static final int SIPUSH = 17;
    private static final int ALOAD_0 = 42;
    private static final int ALOAD_1 = 43;
    private static final int POP = 87;
    private static final int IRETURN = 172;
    private static final int LRETURN = 173;
    private static final int FRETURN = 174;
    private static final int DRETURN = 175;
    private static final int ARETURN = 176;
    private static final int RETURN = 177;
    private static final int GETFIELD = 180;
    private static final int PUTFIELD = 181;
    private static final int INVOKEVIRTUAL = 182;
    private static final int INVOKESPECIAL = 183;
    private static final int INVOKEINTERFACE = 185;
    private static final int CHECKCAST = 192;

    private static final String FUNCTION = "java/util/function/IntFunction";
    private static final String FUNCTION_FIELD = "answers";
    private static final String FUNCTION_TYPE = "L" + FUNCTION + ";";

    private final ByteArrayOutputStream constants = new ByteArrayOutputStream();
    private final Map<String, Integer> numbers = new HashMap<>();
    private final String name;

    private SubclassWriter(String name) {
        this.name = name.replace('.', '/');
    }

    /** Its constructor takes the function, which is given the place of a method in the list. */
    static byte[] write(String name, Subclassing subclassing) {
        try {
            return new SubclassWriter(name).write(subclassing);
        } catch (IOException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private byte[] write(Subclassing subclassing) throws IOException {
        String parent = subclassing.type.getName().replace('.', '/');
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(body);
        out.writeShort(PUBLIC_FINAL_SUPER_SYNTHETIC);
        out.writeShort(type(name));
        out.writeShort(type(parent));
        out.writeShort(0);
        out.writeShort(1);
        out.writeShort(PRIVATE_FINAL_SYNTHETIC);
        out.writeShort(text(FUNCTION_FIELD));
        out.writeShort(text(FUNCTION_TYPE));
        out.writeShort(0);
        out.writeShort(1 + subclassing.methods.size());
        method(out, "<init>", "(" + FUNCTION_TYPE + ")V", 2, constructor(parent));
        for (int i = 0; i < subclassing.methods.size(); i++) {
            Method method = subclassing.methods.get(i);
            String descriptor = TypeNames.descriptor(method.getParameterTypes(), method.getReturnType());
            method(out, method.getName(), descriptor, locals(method), answer(i, method.getReturnType()));
        }
        out.writeShort(0);
        return withConstants(body);
    }

    private byte[] withConstants(ByteArrayOutputStream body) throws IOException {
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(file);
        out.writeInt(0xCAFEBABE);
        out.writeShort(0);
        out.writeShort(JAVA_8);
        out.writeShort(numbers.size() + 1);
        constants.writeTo(out);
        body.writeTo(out);
        return file.toByteArray();
    }

    private void method(DataOutputStream out, String called, String descriptor, int locals, byte[] code)
            throws IOException {
        out.writeShort(PUBLIC);
        out.writeShort(text(called));
        out.writeShort(text(descriptor));
        out.writeShort(1);
        out.writeShort(text("Code"));
        out.writeInt(code.length + 12);
        out.writeShort(2);
        out.writeShort(locals);
        out.writeInt(code.length);
        out.write(code);
        out.writeShort(0);
        out.writeShort(0);
    }

    private byte[] constructor(String parent) throws IOException {
        ByteArrayOutputStream code = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(code);
        out.writeByte(ALOAD_0);
        out.writeByte(ALOAD_1);
        out.writeByte(PUTFIELD);
        out.writeShort(member(FIELD, name, FUNCTION_FIELD, FUNCTION_TYPE));
        out.writeByte(ALOAD_0);
        out.writeByte(INVOKESPECIAL);
        out.writeShort(member(METHOD, parent, "<init>", "()V"));
        out.writeByte(RETURN);
        return code.toByteArray();
    }

    private byte[] answer(int number, Class<?> result) throws IOException {
        ByteArrayOutputStream code = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(code);
        out.writeByte(ALOAD_0);
        out.writeByte(GETFIELD);
        out.writeShort(member(FIELD, name, FUNCTION_FIELD, FUNCTION_TYPE));
        out.writeByte(SIPUSH);
        out.writeShort(number);
        out.writeByte(INVOKEINTERFACE);
        out.writeShort(member(INTERFACE_METHOD, FUNCTION, "apply", "(I)Ljava/lang/Object;"));
        out.writeByte(2);
        out.writeByte(0);
        if (result == void.class) {
            out.writeByte(POP);
        } else {
            String box = MethodType.methodType(result).wrap().returnType().getName().replace('.', '/');
            out.writeByte(CHECKCAST);
            out.writeShort(type(box));
            if (result.isPrimitive()) {
                out.writeByte(INVOKEVIRTUAL);
                out.writeShort(member(METHOD, box, result.getName() + "Value", "()" + TypeNames.descriptor(result)));
            }
        }
        out.writeByte(returning(result));
        return code.toByteArray();
    }

    private static int returning(Class<?> result) {
        if (result == void.class) {
            return RETURN;
        }
        if (!result.isPrimitive()) {
            return ARETURN;
        }
        if (result == float.class || result == double.class) {
            return result == float.class ? FRETURN : DRETURN;
        }
        return result == long.class ? LRETURN : IRETURN;
    }

    private static int locals(Method method) {
        int locals = 1;
        for (Class<?> parameter : method.getParameterTypes()) {
            locals += parameter == long.class || parameter == double.class ? 2 : 1;
        }
        return locals;
    }

    private int member(int kind, String owner, String called, String descriptor) throws IOException {
        int signature = pair(NAME_AND_TYPE, text(called), text(descriptor));
        return pair(kind, type(owner), signature);
    }

    private int pair(int kind, int one, int other) throws IOException {
        Integer known = numbers.get(kind + ":" + one + ":" + other);
        if (known != null) {
            return known;
        }
        DataOutputStream out = new DataOutputStream(constants);
        out.writeByte(kind);
        out.writeShort(one);
        out.writeShort(other);
        return numbered(kind + ":" + one + ":" + other);
    }

    private int type(String internalName) throws IOException {
        int text = text(internalName);
        Integer known = numbers.get(CLASS + ":" + text);
        if (known != null) {
            return known;
        }
        DataOutputStream out = new DataOutputStream(constants);
        out.writeByte(CLASS);
        out.writeShort(text);
        return numbered(CLASS + ":" + text);
    }

    private int text(String value) throws IOException {
        Integer known = numbers.get("=" + value);
        if (known != null) {
            return known;
        }
        DataOutputStream out = new DataOutputStream(constants);
        out.writeByte(UTF8);
        out.writeUTF(value);
        return numbered("=" + value);
    }

    private int numbered(String key) {
        int number = numbers.size() + 1;
        numbers.put(key, number);
        return number;
    }
}
