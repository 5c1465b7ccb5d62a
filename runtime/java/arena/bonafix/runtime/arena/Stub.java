package bonafix.runtime.arena;

import java.lang.invoke.MethodType;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;

/**
 * Stands for an interface or an abstract class: answers each call with the next of some values, then with the last one
 * for ever.
 */
final class Stub implements InvocationHandler {
    /** {@code InvocationHandler.invokeDefault}, which came with Java 16. */
    private static final Method INVOKE_DEFAULT = invokeDefault();

    private final String description;
    private final Object[] answers;
    private int next;

    private Stub(String description, Object[] answers) {
        this.description = description;
        this.answers = answers;
    }

    /** An {@link IllegalArgumentException} says that none can stand for the type. */
    static Object of(Class<?> type, Object[] answers, World world) throws ReflectiveOperationException {
        Stub stub = new Stub("stub of " + type.getName(), answers);
        if (Modifier.isAbstract(type.getModifiers()) && !type.isInterface()) {
            return world.stubClass(type).make(stub);
        }
        return Proxy.newProxyInstance(world.loader, new Class<?>[] {type}, stub);
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
        if (method.getDeclaringClass() == Object.class) {
            return ofObject(proxy, method.getName(), arguments);
        }
        if (method.isDefault() && INVOKE_DEFAULT != null) {
            try {
                return INVOKE_DEFAULT.invoke(null, proxy, method, arguments);
            } catch (InvocationTargetException thrown) {
                throw thrown.getCause();
            }
        }
        return answer(method.getReturnType());
    }

    /** The next answer, or nothing if it does not fit the result. */
    Object answer(Class<?> result) {
        Object answer = answers.length == 0 ? null : answers[Math.min(next++, answers.length - 1)];
        return fits(result, answer) ? answer : nothing(result);
    }

    private Object ofObject(Object proxy, String name, Object[] arguments) {
        switch (name) {
            case "equals":
                return proxy == arguments[0];
            case "hashCode":
                return description.hashCode();
            default:
                return description;
        }
    }

    private static boolean fits(Class<?> type, Object value) {
        if (type == void.class) {
            return false;
        }
        return value == null ? !type.isPrimitive() : box(type).isInstance(value);
    }

    private static Class<?> box(Class<?> type) {
        return MethodType.methodType(type).wrap().returnType();
    }

    private static Object nothing(Class<?> type) {
        if (!type.isPrimitive() || type == void.class) {
            return null;
        }
        return java.lang.reflect.Array.get(java.lang.reflect.Array.newInstance(type, 1), 0);
    }

    private static Method invokeDefault() {
        try {
            return InvocationHandler.class.getMethod("invokeDefault", Object.class, Method.class, Object[].class);
        } catch (NoSuchMethodException olderJava) {
            return null;
        }
    }
}
