package bonafix.runtime;

import java.io.File;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import javax.lang.model.element.TypeElement;
import javax.lang.model.util.Elements;
import javax.tools.JavaCompiler.CompilationTask;
import javax.tools.JavaFileObject;

/**
 * Listens to javac and notes each class file it writes, with its source.
 *
 * <p>{@code com.sun.source.util.TaskListener} is reached by reflection because on JDK 8 it lives in a jar that only the
 * compiler's own class loader knows. Wrapping the file manager would tell the same, but javac treats a
 * file manager that is not its own with suspicion: slower, and on JDK 9 to 11 without {@code --release}.
 */
final class GeneratedClasses implements InvocationHandler {
    private final File outputDirectory;
    private final Elements elements;
    private final CompileResult result;

    private GeneratedClasses(File outputDirectory, Elements elements, CompileResult result) {
        this.outputDirectory = outputDirectory;
        this.elements = elements;
        this.result = result;
    }

    static void listen(CompilationTask task, File outputDirectory, CompileResult result)
            throws ReflectiveOperationException {
        ClassLoader loader = task.getClass().getClassLoader();
        Class<?> javacTask = Class.forName("com.sun.source.util.JavacTask", true, loader);
        Class<?> taskListener = Class.forName("com.sun.source.util.TaskListener", true, loader);
        Elements elements = (Elements) javacTask.getMethod("getElements").invoke(task);
        GeneratedClasses handler = new GeneratedClasses(outputDirectory, elements, result);
        Object listener = Proxy.newProxyInstance(loader, new Class<?>[] {taskListener}, handler);
        javacTask.getMethod("addTaskListener", taskListener).invoke(task, listener);
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) throws ReflectiveOperationException {
        switch (method.getName()) {
            case "finished":
                finished(arguments[0]);
                return null;
            case "hashCode":
                return System.identityHashCode(this);
            case "equals":
                return proxy == arguments[0];
            case "toString":
                return "GeneratedClasses";
            default:
                return null;
        }
    }

    private void finished(Object event) throws ReflectiveOperationException {
        Class<?> type = event.getClass();
        if (!type.getMethod("getKind").invoke(event).toString().equals("GENERATE")) {
            return;
        }
        TypeElement generated = (TypeElement) type.getMethod("getTypeElement").invoke(event);
        JavaFileObject source = (JavaFileObject) type.getMethod("getSourceFile").invoke(event);
        String relativePath = elements.getBinaryName(generated).toString().replace('.', File.separatorChar) + ".class";
        File classFile = new File(outputDirectory, relativePath);
        // javac tells of a class also when it then did not write it, for instance after an error elsewhere.
        if (classFile.isFile()) {
            result.addClassFile(classFile, CompileResult.pathOf(source));
        }
    }
}
