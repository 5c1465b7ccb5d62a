package bonafix.runtime.arena;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;

/** A row of the catalog in one version, ready to be called. */
final class Linked {
    private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();

    final boolean needsReceiver;
    final boolean isVoid;
    final boolean isConstructor;
    /** The receiver's first, where there is one; boxes in place of primitives. */
    final Class<?>[] types;
    final boolean[] primitive;
    /** Takes all arguments in one array of objects, and gives an object. */
    final MethodHandle handle;
    /** The class in the catalog; set once it is linked. */
    private Class<?> owner;
    /** Found out at its first call. */
    private Statics statics;

    private Linked(MethodHandle direct, boolean needsReceiver, boolean isConstructor) {
        this.needsReceiver = needsReceiver;
        this.isConstructor = isConstructor;
        MethodType type = direct.type();
        isVoid = type.returnType() == void.class;
        int count = type.parameterCount();
        types = new Class<?>[count];
        primitive = new boolean[count];
        for (int i = 0; i < count; i++) {
            primitive[i] = type.parameterType(i).isPrimitive();
            types[i] = type.wrap().parameterType(i);
        }
        MethodHandle generic = direct.asFixedArity().asType(MethodType.genericMethodType(count));
        handle = generic.asSpreader(Object[].class, count);
    }

    /** What its class keeps in static fields. */
    Statics statics(World world, Names names) {
        if (statics == null) {
            statics = world.statics(owner, names);
        }
        return statics;
    }

    boolean accepts(int index, Object value) {
        return value == null ? !primitive[index] : types[index].isInstance(value);
    }

    /** {@code null} if the version has no such thing. */
    static Linked link(CallableSpec spec, World world) {
        try {
            Class<?> owner = world.load(spec.owner);
            Linked linked = find(spec, owner, world);
            if (linked != null) {
                linked.owner = owner;
            }
            return linked;
        } catch (ReflectiveOperationException | LinkageError | RuntimeException missing) {
            return null;
        }
    }

    private static Linked find(CallableSpec spec, Class<?> owner, World world) throws ReflectiveOperationException {
        switch (spec.kind) {
            case CallableSpec.CONSTRUCTOR:
                for (Constructor<?> constructor : owner.getDeclaredConstructors()) {
                    if (TypeNames.descriptor(constructor.getParameterTypes(), void.class).equals(spec.descriptor)) {
                        open(constructor, owner, world);
                        return new Linked(LOOKUP.unreflectConstructor(constructor), false, true);
                    }
                }
                return null;
            case CallableSpec.METHOD:
            case CallableSpec.STATIC_METHOD:
                boolean isStatic = spec.kind == CallableSpec.STATIC_METHOD;
                Method method = method(spec, owner);
                if (method == null || Modifier.isStatic(method.getModifiers()) != isStatic) {
                    return null;
                }
                open(method, method.getDeclaringClass(), world);
                return new Linked(LOOKUP.unreflect(method), !isStatic, false);
            default:
                return field(spec, owner, world);
        }
    }

    private static Linked field(CallableSpec spec, Class<?> owner, World world) throws ReflectiveOperationException {
        Field field = owner.getDeclaredField(spec.name);
        boolean isStatic = spec.kind == CallableSpec.STATIC_GET || spec.kind == CallableSpec.STATIC_SET;
        boolean reads = spec.kind == CallableSpec.STATIC_GET || spec.kind == CallableSpec.FIELD_GET;
        if (Modifier.isStatic(field.getModifiers()) != isStatic
                || !TypeNames.descriptor(field.getType()).equals(spec.descriptor)) {
            return null;
        }
        open(field, owner, world);
        MethodHandle handle = reads ? LOOKUP.unreflectGetter(field) : LOOKUP.unreflectSetter(field);
        return new Linked(handle, !isStatic, false);
    }

    /** Looks through the superclasses and interfaces as well: a row may name a class that inherits the method. */
    private static Method method(CallableSpec spec, Class<?> owner) {
        for (Class<?> type = owner; type != null; type = type.getSuperclass()) {
            Method method = declared(spec, type);
            if (method != null) {
                return method;
            }
        }
        for (Method method : owner.getMethods()) {
            if (matches(spec, method)) {
                return method;
            }
        }
        return null;
    }

    private static Method declared(CallableSpec spec, Class<?> owner) {
        for (Method method : owner.getDeclaredMethods()) {
            if (matches(spec, method)) {
                return method;
            }
        }
        return null;
    }

    private static boolean matches(CallableSpec spec, Method method) {
        return method.getName().equals(spec.name)
                && TypeNames.descriptor(method.getParameterTypes(), method.getReturnType()).equals(spec.descriptor);
    }

    /** Members of the subject may lie in the same package as a test; those of the JDK are public or of no use. */
    private static void open(AccessibleObject member, Class<?> owner, World world) {
        if (world.isSubject(owner)) {
            member.setAccessible(true);
        }
    }
}
