package bonafix.runtime.arena;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Calendar;
import java.util.Collection;
import java.util.Comparator;
import java.util.Date;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.concurrent.atomic.AtomicReference;

/** How objects of one class are looked at; found out once for each class. */
final class Shape {
    enum Kind {
        BOOLEAN, BYTE, SHORT, INT, LONG, CHAR, FLOAT, DOUBLE, TEXT, CLASS, ENUM, ARRAY, LIST, SET, COLLECTION, MAP, ENTRY,
        OPTIONAL, REFERENCE, DATE, CALENDAR, PATTERN_FORMAT, VALUED, THROWABLE, OBJECT, OPAQUE
    }

    private static final Map<Class<?>, Kind> BASIC = new HashMap<>();
    /** They say what they hold, and have no {@code equals}, or one by identity. */
    private static final Set<String> SAY_WHAT_THEY_HOLD = new java.util.HashSet<>(Arrays.asList(
            "java.lang.StringBuilder", "java.lang.StringBuffer", "java.io.StringWriter", "java.io.ByteArrayOutputStream",
            "java.io.CharArrayWriter", "java.util.StringJoiner", "java.util.regex.Pattern",
            "java.util.concurrent.atomic.AtomicInteger", "java.util.concurrent.atomic.AtomicLong",
            "java.util.concurrent.atomic.AtomicBoolean", "java.util.concurrent.atomic.AtomicIntegerArray",
            "java.util.concurrent.atomic.AtomicLongArray", "java.util.concurrent.atomic.LongAdder",
            "java.util.concurrent.atomic.DoubleAdder", "java.util.IntSummaryStatistics",
            "java.util.LongSummaryStatistics", "java.util.DoubleSummaryStatistics"));
    private static final ClassLoader PLATFORM = ClassLoader.getSystemClassLoader().getParent();

    static {
        BASIC.put(Boolean.class, Kind.BOOLEAN);
        BASIC.put(Byte.class, Kind.BYTE);
        BASIC.put(Short.class, Kind.SHORT);
        BASIC.put(Integer.class, Kind.INT);
        BASIC.put(Long.class, Kind.LONG);
        BASIC.put(Character.class, Kind.CHAR);
        BASIC.put(Float.class, Kind.FLOAT);
        BASIC.put(Double.class, Kind.DOUBLE);
        BASIC.put(String.class, Kind.TEXT);
        BASIC.put(Class.class, Kind.CLASS);
        BASIC.put(AtomicReference.class, Kind.REFERENCE);
    }

    final Kind kind;
    /** Number of the name to show. */
    final int name;
    /** Collections and maps: the type promises an order. */
    final boolean ordered;
    final FieldShape[] fields;
    /** What a class of the subject inherits from the JDK and keeps where no field shows it; or {@code null}. */
    final Kind inherited;

    /** One field of a class. */
    static final class FieldShape {
        final Field field;
        final int name;
        final boolean visible;
        /** The name of a primitive type, or {@code null}. */
        final Class<?> primitive;

        FieldShape(Field field, String shownAs, Names names) {
            this.field = field;
            name = names.number(shownAs);
            visible = !Modifier.isPrivate(field.getModifiers());
            primitive = field.getType().isPrimitive() ? field.getType() : null;
        }
    }

    private Shape(Kind kind, int name, boolean ordered, FieldShape[] fields, Kind inherited) {
        this.kind = kind;
        this.name = name;
        this.ordered = ordered;
        this.fields = fields;
        this.inherited = inherited;
    }

    static boolean isOfTheJdk(Class<?> type) {
        ClassLoader loader = type.getClassLoader();
        return loader == null || loader == PLATFORM;
    }

    static Shape of(Class<?> type, Names names) {
        Kind kind = kind(type);
        String name = name(type, kind);
        if (kind != Kind.OBJECT) {
            return new Shape(kind, names.number(name), ordered(type), null, null);
        }
        List<FieldShape> fields = new ArrayList<>();
        Class<?> ancestor = type;
        List<Class<?>> chain = new ArrayList<>();
        for (; ancestor != null && !isOfTheJdk(ancestor); ancestor = ancestor.getSuperclass()) {
            chain.add(0, ancestor);
        }
        for (Class<?> declaring : chain) {
            addFields(declaring, names, fields);
        }
        Kind inherited = inheritedKind(ancestor);
        boolean ordered = inherited != null && ordered(ancestor);
        return new Shape(kind, names.number(name), ordered, fields.toArray(new FieldShape[0]), inherited);
    }

    private static Kind inheritedKind(Class<?> ancestor) {
        if (ancestor == null || ancestor == Object.class || ancestor.getName().startsWith("java.util.Abstract")) {
            return null;
        }
        Kind kind = kind(ancestor);
        return kind == Kind.OPAQUE || kind == Kind.VALUED ? null : kind;
    }

    private static void addFields(Class<?> declaring, Names names, List<FieldShape> fields) {
        Field[] declared;
        try {
            declared = declaring.getDeclaredFields();
        } catch (LinkageError typeOfFieldMissing) {
            return;
        }
        Arrays.sort(declared, Comparator.comparing(Field::getName));
        for (Field field : declared) {
            // Compilers make and drop synthetic fields as they like (`this$0`), coverage tools add some.
            if (Modifier.isStatic(field.getModifiers()) || field.isSynthetic()) {
                continue;
            }
            try {
                field.setAccessible(true);
                fields.add(new FieldShape(field, field.getName(), names));
            } catch (RuntimeException closed) {
                // A library in a module of its own.
            }
        }
    }

    private static Kind kind(Class<?> type) {
        Kind basic = BASIC.get(type);
        if (basic != null) {
            return basic;
        }
        if (type.isArray()) {
            return Kind.ARRAY;
        }
        if (Enum.class.isAssignableFrom(type)) {
            return Kind.ENUM;
        }
        if (Proxy.isProxyClass(type) || type.isSynthetic() || type.getName().indexOf('/') >= 0 || isOurs(type)) {
            return Kind.OPAQUE;
        }
        return isOfTheJdk(type) ? jdkKind(type) : Kind.OBJECT;
    }

    /** The loader of a version, above all: it holds all class files, and which of them were read is no behaviour. */
    private static boolean isOurs(Class<?> type) {
        return type.getClassLoader() == Shape.class.getClassLoader();
    }

    private static Kind jdkKind(Class<?> type) {
        if (List.class.isAssignableFrom(type)) {
            return Kind.LIST;
        }
        if (Set.class.isAssignableFrom(type)) {
            return Kind.SET;
        }
        if (Collection.class.isAssignableFrom(type)) {
            return Kind.COLLECTION;
        }
        if (Map.class.isAssignableFrom(type)) {
            return Kind.MAP;
        }
        if (Map.Entry.class.isAssignableFrom(type)) {
            return Kind.ENTRY;
        }
        if (type == Optional.class || type == OptionalInt.class || type == OptionalLong.class
                || type == OptionalDouble.class) {
            return Kind.OPTIONAL;
        }
        if (Throwable.class.isAssignableFrom(type)) {
            return Kind.THROWABLE;
        }
        if (Date.class.isAssignableFrom(type)) {
            return Kind.DATE;
        }
        if (Calendar.class.isAssignableFrom(type)) {
            return Kind.CALENDAR;
        }
        if (type == java.text.SimpleDateFormat.class || type == java.text.DecimalFormat.class) {
            return Kind.PATTERN_FORMAT;
        }
        return SAY_WHAT_THEY_HOLD.contains(type.getName()) || isValue(type) ? Kind.VALUED : Kind.OPAQUE;
    }

    /** Has a text and an equality of its own, so the one stands for the other. */
    private static boolean isValue(Class<?> type) {
        try {
            return type.getMethod("toString").getDeclaringClass() != Object.class
                    && type.getMethod("equals", Object.class).getDeclaringClass() != Object.class;
        } catch (NoSuchMethodException impossible) {
            return false;
        }
    }

    private static boolean ordered(Class<?> type) {
        if (Set.class.isAssignableFrom(type)) {
            return SortedSet.class.isAssignableFrom(type) || isLinked(type) || java.util.EnumSet.class.isAssignableFrom(type);
        }
        if (Map.class.isAssignableFrom(type)) {
            return SortedMap.class.isAssignableFrom(type) || isLinked(type) || type == java.util.EnumMap.class;
        }
        return List.class.isAssignableFrom(type) || Deque.class.isAssignableFrom(type) || type.isArray() || isLinked(type);
    }

    /** Linked sets and maps, and their views. */
    private static boolean isLinked(Class<?> type) {
        String name = type.getName();
        return name.startsWith("java.util.LinkedHash") || name.startsWith("java.util.TreeMap$");
    }

    /** The class; for one without a name of its own, what it stands for: its number may differ between versions. */
    static String name(Class<?> type, Kind kind) {
        if (type.isArray()) {
            return TypeNames.name(type.getComponentType());
        }
        if (kind == Kind.ENUM) {
            Class<?> parent = type.getSuperclass();
            return parent == Enum.class || parent == null ? type.getName() : parent.getName();
        }
        boolean isLambda = type.getName().indexOf('/') >= 0 || type.getName().contains("$$Lambda")
                || StubClass.isOne(type);
        if (!Proxy.isProxyClass(type) && !isLambda && !type.isAnonymousClass()) {
            return type.getName();
        }
        Class<?>[] interfaces = type.getInterfaces();
        Class<?> stands = interfaces.length > 0 ? interfaces[0] : type.getSuperclass();
        return (type.isAnonymousClass() && !isLambda ? "anonymous " : "lambda ") + stands.getName();
    }
}
