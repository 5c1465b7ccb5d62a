package bonafix.runtime.arena;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The static fields of one class that calls can change: what they leave behind where no object shows it. */
final class Statics {
    /** What they may hold, as it is written down, to be worth a look after each sequence. */
    static final int MAX_BYTES = 2048;
    static final Statics NONE = new Statics("", new Shape.FieldShape[0]);
    private static final int IMMUTABLE_DEPTH = 3;
    private static final Set<Class<?>> IMMUTABLE = new HashSet<>(Arrays.asList(String.class, Class.class, Boolean.class,
            Byte.class, Short.class, Integer.class, Long.class, Character.class, Float.class, Double.class,
            java.math.BigInteger.class, java.math.BigDecimal.class, java.util.Locale.class,
            java.util.regex.Pattern.class));

    final String owner;
    final Shape.FieldShape[] fields;

    private Statics(String owner, Shape.FieldShape[] fields) {
        this.owner = owner;
        this.fields = fields;
    }

    static Statics of(Class<?> type, Names names) {
        List<Shape.FieldShape> found = new ArrayList<>();
        // Fields of interfaces are final; and to read one would initialise what a call need not have.
        if (!type.isInterface()) {
            try {
                Field[] declared = type.getDeclaredFields();
                Arrays.sort(declared, Comparator.comparing(Field::getName));
                for (Field field : declared) {
                    if (canChange(field)) {
                        field.setAccessible(true);
                        found.add(new Shape.FieldShape(field, type.getName() + "." + field.getName(), names));
                    }
                }
            } catch (LinkageError | RuntimeException unreadable) {
                return NONE;
            }
        }
        return found.isEmpty() ? NONE : new Statics(type.getName(), found.toArray(new Shape.FieldShape[0]));
    }

    private static boolean canChange(Field field) {
        int modifiers = field.getModifiers();
        return Modifier.isStatic(modifiers) && !field.isSynthetic()
                && !(Modifier.isFinal(modifiers) && isImmutable(field.getType(), 0));
    }

    /** By its fields; that a subclass may have others is passed over. */
    private static boolean isImmutable(Class<?> type, int depth) {
        if (type.isPrimitive() || type.isEnum() || IMMUTABLE.contains(type)) {
            return true;
        }
        if (type.isArray() || type.isInterface() || Shape.isOfTheJdk(type) || depth >= IMMUTABLE_DEPTH) {
            return false;
        }
        for (Class<?> part = type; part != null && part != Object.class; part = part.getSuperclass()) {
            if (Shape.isOfTheJdk(part)) {
                return false;
            }
            for (Field field : part.getDeclaredFields()) {
                int modifiers = field.getModifiers();
                boolean counts = !Modifier.isStatic(modifiers) && !field.isSynthetic();
                if (counts && !(Modifier.isFinal(modifiers) && isImmutable(field.getType(), depth + 1))) {
                    return false;
                }
            }
        }
        return true;
    }
}
