package bonafix.runtime.junit5;

import bonafix.runtime.TestClasses;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestIdentifier;

/** Tells from annotations that a test will be skipped. Conditions that depend on the machine are left to the run. */
final class DisabledTests {
    private static final String DISABLED = "org.junit.jupiter.api.Disabled";

    private DisabledTests() {
    }

    /** The reason, or {@code null} if nothing disables the test. */
    static String reason(TestIdentifier identifier) {
        TestSource source = identifier.getSource().orElse(null);
        if (!(source instanceof MethodSource)) {
            return null;
        }
        MethodSource method = (MethodSource) source;
        try {
            Class<?> owner = Class.forName(method.getClassName(), false, ClassLoader.getSystemClassLoader());
            Annotation disabled = ofMethod(owner, method);
            for (Class<?> type = owner; disabled == null && type != null; type = type.getEnclosingClass()) {
                disabled = TestClasses.annotation(type.getAnnotations(), DISABLED);
            }
            return disabled == null ? null : TestClasses.valueOf(disabled);
        } catch (ClassNotFoundException | LinkageError unreadable) {
            return null;
        }
    }

    private static Annotation ofMethod(Class<?> owner, MethodSource source) {
        for (Method method : TestClasses.methodsAnnotated(owner, DISABLED)) {
            if (method.getName().equals(source.getMethodName()) && typesOf(method).equals(typesIn(source))) {
                return TestClasses.annotation(method.getAnnotations(), DISABLED);
            }
        }
        return null;
    }

    private static String typesOf(Method method) {
        StringBuilder types = new StringBuilder();
        for (Class<?> type : method.getParameterTypes()) {
            types.append(types.length() == 0 ? "" : ",").append(type.getName());
        }
        return types.toString();
    }

    private static String typesIn(MethodSource source) {
        String types = source.getMethodParameterTypes();
        return types == null ? "" : types.replace(" ", "");
    }
}
