package bonafix.runtime.arena;

import bonafix.runtime.PayloadWriter;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** What a class below an abstract one must have, where anybody can write one. */
final class Subclassing {
    /** {@code Class.isSealed}, which came with Java 17. */
    private static final Method IS_SEALED = isSealed();

    final Class<?> type;
    /** Abstract, in the order of their names. */
    final List<Method> methods;
    private final Map<TypeVariable<?>, Type> bindings;
    /** Who can write it: {@link CallableSpec#PUBLIC} or {@link CallableSpec#PACKAGE}. */
    private int visibility = CallableSpec.PUBLIC;

    private Subclassing(Class<?> type) {
        this.type = type;
        methods = new ArrayList<>();
        bindings = CatalogBuilder.bindings(type);
    }

    /** {@code null} where none can be written, or none that is the same to the compiler and to the VM. */
    static Subclassing of(Class<?> type) {
        try {
            Subclassing found = new Subclassing(type);
            return found.isOpen() && found.findMethods() ? found : null;
        } catch (LinkageError | TypeNotPresentException somethingIsMissing) {
            return null;
        }
    }

    private boolean isOpen() {
        boolean isAbstractClass = Modifier.isAbstract(type.getModifiers()) && !type.isInterface() && !type.isEnum()
                && !type.isArray() && !type.isPrimitive();
        boolean hasNoName = type.isAnonymousClass() || type.isLocalClass() || type.isSynthetic();
        if (!isAbstractClass || hasNoName || isSealed(type)) {
            return false;
        }
        try {
            Constructor<?> constructor = type.getDeclaredConstructor();
            return restrict(CatalogBuilder.visibility(type)) && restrict(memberVisibility(constructor.getModifiers()));
        } catch (NoSuchMethodException needsArguments) {
            return false;
        }
    }

    /** Whether what is seen so far by everybody can be seen by somebody who sees this. */
    private boolean restrict(int seenBy) {
        visibility = Math.max(visibility, seenBy == CallableSpec.PUBLIC ? CallableSpec.PUBLIC : CallableSpec.PACKAGE);
        return seenBy != CatalogBuilder.PRIVATE;
    }

    /** A class below sees what is protected. */
    private static int memberVisibility(int modifiers) {
        int visibility = CatalogBuilder.visibility(modifiers);
        return visibility == CallableSpec.PROTECTED ? CallableSpec.PUBLIC : visibility;
    }

    private boolean findMethods() {
        Map<String, Method> known = new TreeMap<>();
        if (!addOfClasses(known)) {
            return false;
        }
        addOfInterfaces(known);
        // Where a compiler sees one method and the VM two, as with a narrower result, bridges would have to be made.
        Set<String> written = new HashSet<>();
        for (Method method : known.values()) {
            if (Modifier.isAbstract(method.getModifiers())) {
                methods.add(method);
                if (!written.add(method.getName() + parameters(method)) || !restrict(method)) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Methods of the classes upward, the lowest of each descriptor; whether all can be overridden. */
    private boolean addOfClasses(Map<String, Method> known) {
        for (Class<?> ancestor = type; ancestor != null; ancestor = ancestor.getSuperclass()) {
            for (Method method : ancestor.getDeclaredMethods()) {
                int seenBy = CatalogBuilder.visibility(method.getModifiers());
                boolean isHidden = seenBy == CatalogBuilder.PRIVATE
                        || seenBy == CallableSpec.PACKAGE && !isOfSamePackage(ancestor);
                if (isHidden && Modifier.isAbstract(method.getModifiers())) {
                    return false;
                }
                if (!isHidden && !Modifier.isStatic(method.getModifiers())) {
                    known.putIfAbsent(key(method), method);
                }
            }
        }
        return true;
    }

    private void addOfInterfaces(Map<String, Method> known) {
        for (Method method : type.getMethods()) {
            if (method.getDeclaringClass().isInterface() && !Modifier.isStatic(method.getModifiers())) {
                Method other = known.putIfAbsent(key(method), method);
                if (other != null && other.getDeclaringClass().isInterface() && method.isDefault()) {
                    known.put(key(method), method);
                }
            }
        }
    }

    private static String key(Method method) {
        return method.getName() + TypeNames.descriptor(method.getParameterTypes(), method.getReturnType());
    }

    /** Whether a class below can override the method and name all its types. */
    private boolean restrict(Method method) {
        boolean isNameable = restrict(method.getReturnType());
        for (Class<?> parameter : method.getParameterTypes()) {
            isNameable &= restrict(parameter);
        }
        return isNameable && restrict(memberVisibility(method.getModifiers()));
    }

    private boolean restrict(Class<?> mentioned) {
        Class<?> element = mentioned;
        while (element.isArray()) {
            element = element.getComponentType();
        }
        int seenBy = CatalogBuilder.visibility(element);
        return restrict(seenBy) && (seenBy == CallableSpec.PUBLIC || isOfSamePackage(element));
    }

    private boolean isOfSamePackage(Class<?> other) {
        return other.getClassLoader() == type.getClassLoader()
                && CatalogBuilder.packageOf(other.getName()).equals(CatalogBuilder.packageOf(type.getName()));
    }

    /**
     * As a source must write them, without type arguments. Below a generic class, which it names without any either,
     * everything is erased; else a variable of a class above is what it is bound to.
     */
    private List<String> parameters(Method method) {
        List<String> names = new ArrayList<>();
        boolean isErased = type.getTypeParameters().length > 0;
        for (Type parameter : isErased ? method.getParameterTypes() : method.getGenericParameterTypes()) {
            String name = TypeNames.name(parameter, bindings);
            int arguments = name.indexOf('<');
            names.add(arguments < 0 ? name : name.substring(0, arguments) + name.substring(name.lastIndexOf('>') + 1));
        }
        return names;
    }

    private String result(Method method) {
        boolean isErased = type.getTypeParameters().length > 0;
        return TypeNames.name(isErased ? method.getReturnType() : method.getGenericReturnType(), bindings);
    }

    /** As a source must declare it, which may be narrower than in the class file of the generic class above. */
    Class<?> resultType(Method method) throws ClassNotFoundException {
        return TypeNames.load(result(method), type.getClassLoader());
    }

    void put(PayloadWriter out) {
        out.u8(visibility).u32(methods.size());
        for (Method method : methods) {
            out.string(method.getName()).strings(parameters(method)).string(result(method));
        }
    }

    private static boolean isSealed(Class<?> type) {
        try {
            return IS_SEALED != null && (Boolean) IS_SEALED.invoke(type);
        } catch (ReflectiveOperationException impossible) {
            return true;
        }
    }

    private static Method isSealed() {
        try {
            return Class.class.getMethod("isSealed");
        } catch (NoSuchMethodException olderJava) {
            return null;
        }
    }
}
