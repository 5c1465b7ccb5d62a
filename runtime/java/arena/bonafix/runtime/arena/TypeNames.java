package bonafix.runtime.arena;

import java.lang.reflect.Array;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.HashMap;
import java.util.Map;

/** Types as text: descriptors as in class files, and names with type arguments as in Java sources. */
final class TypeNames {
    /** {@code <T extends Comparable<T>>} goes round in circles; what is deeper is written without arguments. */
    private static final int MAX_DEPTH = 4;

    private static final Map<String, Class<?>> PRIMITIVES = new HashMap<>();

    static {
        for (Class<?> type : new Class<?>[] {boolean.class, byte.class, short.class, char.class, int.class, long.class,
                float.class, double.class, void.class}) {
            PRIMITIVES.put(type.getName(), type);
        }
    }

    private TypeNames() {
    }

    static Class<?> load(String name, ClassLoader loader) throws ClassNotFoundException {
        if (name.endsWith("[]")) {
            return Array.newInstance(load(name.substring(0, name.length() - 2), loader), 0).getClass();
        }
        int arguments = name.indexOf('<');
        String plain = arguments < 0 ? name : name.substring(0, arguments);
        Class<?> primitive = PRIMITIVES.get(plain);
        return primitive != null ? primitive : Class.forName(plain, false, loader);
    }

    static String name(Class<?> type) {
        return type.isArray() ? name(type.getComponentType()) + "[]" : type.getName();
    }

    static String descriptor(Class<?>[] parameters, Class<?> result) {
        StringBuilder text = new StringBuilder("(");
        for (Class<?> parameter : parameters) {
            text.append(descriptor(parameter));
        }
        return text.append(')').append(descriptor(result)).toString();
    }

    static String descriptor(Class<?> type) {
        if (type == void.class) {
            return "V";
        }
        String array = Array.newInstance(type, 0).getClass().getName();
        return array.substring(1).replace('.', '/');
    }

    /** The type with variables replaced by what they are bound to, or else by their bounds. */
    static String name(Type type, Map<TypeVariable<?>, Type> bindings) {
        return name(type, bindings, 0);
    }

    private static String name(Type type, Map<TypeVariable<?>, Type> bindings, int depth) {
        if (type instanceof Class) {
            return name((Class<?>) type);
        }
        if (depth > MAX_DEPTH) {
            return name(erase(type));
        }
        if (type instanceof ParameterizedType) {
            return parameterized((ParameterizedType) type, bindings, depth);
        }
        if (type instanceof GenericArrayType) {
            return name(((GenericArrayType) type).getGenericComponentType(), bindings, depth + 1) + "[]";
        }
        if (type instanceof WildcardType) {
            WildcardType wildcard = (WildcardType) type;
            Type[] lower = wildcard.getLowerBounds();
            return name(lower.length > 0 ? lower[0] : wildcard.getUpperBounds()[0], bindings, depth + 1);
        }
        if (type instanceof TypeVariable) {
            Type bound = bindings.get(type);
            return name(bound != null ? bound : ((TypeVariable<?>) type).getBounds()[0], bindings, depth + 1);
        }
        return "java.lang.Object";
    }

    private static String parameterized(ParameterizedType type, Map<TypeVariable<?>, Type> bindings, int depth) {
        StringBuilder text = new StringBuilder(name((Class<?>) type.getRawType()));
        Type[] arguments = type.getActualTypeArguments();
        for (int i = 0; i < arguments.length; i++) {
            text.append(i == 0 ? "<" : ", ").append(name(arguments[i], bindings, depth + 1));
        }
        return text.append(arguments.length == 0 ? "" : ">").toString();
    }

    static Class<?> erase(Type type) {
        if (type instanceof Class) {
            return (Class<?>) type;
        }
        if (type instanceof ParameterizedType) {
            return (Class<?>) ((ParameterizedType) type).getRawType();
        }
        if (type instanceof GenericArrayType) {
            return Array.newInstance(erase(((GenericArrayType) type).getGenericComponentType()), 0).getClass();
        }
        if (type instanceof TypeVariable) {
            return erase(((TypeVariable<?>) type).getBounds()[0]);
        }
        if (type instanceof WildcardType) {
            return erase(((WildcardType) type).getUpperBounds()[0]);
        }
        return Object.class;
    }
}
