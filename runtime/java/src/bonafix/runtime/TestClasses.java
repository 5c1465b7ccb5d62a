package bonafix.runtime;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * What can be told of a test class by looking at it. Annotations are known by name, so that one copy of this serves
 * every version of a framework; nothing here initialises a class.
 */
public final class TestClasses {
    private static final String CATEGORY = "org.junit.experimental.categories.Category";

    private TestClasses() {
    }

    /** A static {@code suite()} as JUnit 3 looks for it. */
    public static Method suiteMethod(Class<?> testClass) {
        try {
            Method suite = testClass.getMethod("suite");
            boolean returnsTest = isOrExtends(suite.getReturnType(), "junit.framework.Test");
            return Modifier.isStatic(suite.getModifiers()) && returnsTest ? suite : null;
        } catch (NoSuchMethodException absent) {
            return null;
        }
    }

    public static boolean isJUnit3TestCase(Class<?> testClass) {
        return isOrExtends(testClass, "junit.framework.TestCase");
    }

    public static boolean hasJUnit3Tests(Class<?> testClass) {
        if (!isJUnit3TestCase(testClass)) {
            return false;
        }
        for (Method method : testClass.getMethods()) {
            if (isJUnit3Test(method)) {
                return true;
            }
        }
        return false;
    }

    /** Methods annotated so, own and inherited, in an order that does not depend on the VM. */
    public static List<Method> methodsAnnotated(Class<?> testClass, String annotation) {
        List<Method> methods = new ArrayList<>();
        for (Class<?> type = testClass; type != null && type != Object.class; type = type.getSuperclass()) {
            for (Method method : type.getDeclaredMethods()) {
                if (annotation(method.getAnnotations(), annotation) != null) {
                    methods.add(method);
                }
            }
        }
        methods.sort(Comparator.comparing(Method::getName).thenComparing(Method::toString));
        return methods;
    }

    /** Ids of the test methods written in a class whose runner does not tell them, because it is ignored or broken. */
    public static Set<String> writtenTestIds(Class<?> testClass) {
        Set<String> ids = new LinkedHashSet<>();
        if (isJUnit3TestCase(testClass)) {
            Method[] methods = testClass.getMethods();
            Arrays.sort(methods, Comparator.comparing(Method::getName));
            for (Method method : methods) {
                if (isJUnit3Test(method)) {
                    ids.add(testClass.getName() + "#" + method.getName());
                }
            }
        } else {
            for (Method method : methodsAnnotated(testClass, "org.junit.Test")) {
                ids.add(testClass.getName() + "#" + method.getName());
            }
        }
        return ids;
    }

    /** The annotation of that name, or {@code null}. */
    public static Annotation annotation(Annotation[] annotations, String name) {
        for (Annotation annotation : annotations) {
            if (annotation.annotationType().getName().equals(name)) {
                return annotation;
            }
        }
        return null;
    }

    /** The {@code value()} of an annotation as text; empty if there is none. */
    public static String valueOf(Annotation annotation) {
        Object value = invokeValue(annotation);
        return value == null ? "" : value.toString();
    }

    /** JUnit 4 categories of a test: its own and those of its class and superclasses. */
    public static Set<Class<?>> categories(Collection<Annotation> ofTest, Class<?> testClass) {
        Set<Class<?>> categories = new LinkedHashSet<>();
        addCategories(ofTest.toArray(new Annotation[0]), categories);
        for (Class<?> type = testClass; type != null; type = type.getSuperclass()) {
            addCategories(type.getAnnotations(), categories);
        }
        return categories;
    }

    private static void addCategories(Annotation[] annotations, Set<Class<?>> categories) {
        Annotation category = annotation(annotations, CATEGORY);
        if (category != null && invokeValue(category) instanceof Class<?>[]) {
            categories.addAll(Arrays.asList((Class<?>[]) invokeValue(category)));
        }
    }

    private static Object invokeValue(Annotation annotation) {
        try {
            Method value = annotation.annotationType().getMethod("value");
            value.setAccessible(true);
            return value.invoke(annotation);
        } catch (ReflectiveOperationException | RuntimeException unreadable) {
            return null;
        }
    }

    private static boolean isJUnit3Test(Method method) {
        return method.getName().startsWith("test") && method.getParameterTypes().length == 0
                && method.getReturnType() == void.class && !Modifier.isStatic(method.getModifiers());
    }

    private static boolean isOrExtends(Class<?> type, String name) {
        if (type == null) {
            return false;
        }
        if (type.getName().equals(name) || isOrExtends(type.getSuperclass(), name)) {
            return true;
        }
        for (Class<?> parent : type.getInterfaces()) {
            if (isOrExtends(parent, name)) {
                return true;
            }
        }
        return false;
    }
}
