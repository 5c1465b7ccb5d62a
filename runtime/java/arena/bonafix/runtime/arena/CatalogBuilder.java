package bonafix.runtime.arena;

import bonafix.runtime.PayloadWriter;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Lists what can be called: the root classes, what they mention, and what of the JDK serves to make arguments. */
final class CatalogBuilder {
    static final int PRIVATE = 3;
    private static final int MAX_CLASSES = 400;
    private static final int MAX_SCANNED = 1000;
    private static final int MAX_EXCEPTIONS = 60;
    /** Of one class that is not the subject's. */
    private static final int MAX_CONSTANTS = 32;
    private static final int MAX_FACTORIES = 8;

    final List<CallableSpec> callables = new ArrayList<>();
    final List<String> problems = new ArrayList<>();
    private final World world;
    private final VersionFiles files;
    /** Subject classes below each class, by name; empty if nobody knows. */
    private final Map<String, List<String>> below;
    private final Set<String> keys = new HashSet<>();
    private final Deque<Class<?>> queue = new ArrayDeque<>();
    private final Set<Class<?>> queued = new HashSet<>();
    private final Set<Class<?>> mentioned = new LinkedHashSet<>();
    private final Set<Class<?>> done = new LinkedHashSet<>();

    CatalogBuilder(World world, VersionFiles files, Map<String, List<String>> below) {
        this.world = world;
        this.files = files;
        this.below = below;
    }

    void build(List<String> roots) {
        for (String root : roots) {
            try {
                enqueue(world.load(root));
            } catch (ClassNotFoundException | LinkageError missing) {
                problems.add(root + ": " + missing);
            }
        }
        addQueued();
        addImplementations();
        addQueued();
        addExceptions();
        addQueued();
        addLibraryClasses();
        addHelpers();
    }

    private void addQueued() {
        while (!queue.isEmpty()) {
            Class<?> type = queue.poll();
            done.add(type);
            try {
                addClass(type);
            } catch (LinkageError broken) {
                problems.add(type.getName() + ": " + broken);
            }
        }
    }

    private void enqueue(Class<?> type) {
        if (queued.size() < MAX_CLASSES && !type.isAnonymousClass() && !type.isLocalClass() && !type.isSynthetic()
                && queued.add(type)) {
            queue.add(type);
        }
    }

    /** Concrete classes below the abstract ones among what is mentioned: nothing else makes one of those. */
    private void addImplementations() {
        List<Class<?>> open = new ArrayList<>();
        Set<String> packages = new LinkedHashSet<>();
        for (Class<?> type : done) {
            if (Modifier.isAbstract(type.getModifiers())) {
                open.add(type);
            }
            packages.add(packageOf(type.getName()));
        }
        List<String> candidates = Collections.emptyList();
        if (!open.isEmpty()) {
            candidates = below.isEmpty() ? files.classesIn(packages) : below(open);
        }
        for (String name : candidates.subList(0, Math.min(MAX_SCANNED, candidates.size()))) {
            try {
                Class<?> type = world.load(name);
                for (Class<?> ancestor : open) {
                    if (ancestor.isAssignableFrom(type)) {
                        enqueue(type);
                    }
                }
            } catch (ClassNotFoundException | LinkageError broken) {
                // Not loadable: no help to anybody.
            }
        }
    }

    /**
     * Exceptions of the subject, those of the packages at hand first: what throws one need not declare it, and what is
     * caught can be asked.
     */
    private void addExceptions() {
        List<Class<?>> thrown = new ArrayList<>();
        for (String parent : new java.util.TreeSet<>(below.keySet())) {
            if (parent.startsWith("java")) {
                try {
                    Class<?> type = world.load(parent);
                    if (Throwable.class.isAssignableFrom(type)) {
                        thrown.add(type);
                    }
                } catch (ClassNotFoundException | LinkageError broken) {
                    // Not loadable: nothing below it is.
                }
            }
        }
        Set<String> near = new HashSet<>();
        for (Class<?> type : done) {
            near.add(packageOf(type.getName()));
        }
        List<String> names = below(thrown);
        names.sort(Comparator.comparing((String name) -> !near.contains(packageOf(name))).thenComparing(name -> name));
        for (String name : names.subList(0, Math.min(MAX_EXCEPTIONS, names.size()))) {
            try {
                enqueue(world.load(name));
            } catch (ClassNotFoundException | LinkageError broken) {
                // Not loadable: no help to anybody.
            }
        }
    }

    /** Names of all classes below some, nearer ones first. */
    private List<String> below(List<Class<?>> types) {
        Set<String> found = new LinkedHashSet<>();
        Deque<String> open = new ArrayDeque<>();
        for (Class<?> type : types) {
            open.add(type.getName());
        }
        while (!open.isEmpty()) {
            for (String name : below.getOrDefault(open.poll(), Collections.<String>emptyList())) {
                if (found.add(name)) {
                    open.add(name);
                }
            }
        }
        return new ArrayList<>(found);
    }

    static String packageOf(String className) {
        int dot = className.lastIndexOf('.');
        return dot < 0 ? "" : className.substring(0, dot);
    }

    private void addClass(Class<?> type) {
        Map<TypeVariable<?>, Type> bindings = bindings(type);
        addMembers(type, type, bindings);
        addInherited(type, bindings);
        for (Class<?> nested : sorted(type.getDeclaredClasses(), Comparator.comparing(Class::getName))) {
            enqueue(nested);
        }
        if (type.getSuperclass() != null) {
            mention(type.getSuperclass());
        }
        for (Class<?> parent : type.getInterfaces()) {
            mention(parent);
        }
    }

    private void addMembers(Class<?> type, Class<?> declaring, Map<TypeVariable<?>, Type> bindings) {
        Constructor<?>[] constructors = type.getDeclaredConstructors();
        Comparator<Executable> order = Comparator.<Executable, String>comparing(Executable::getName)
                .thenComparing(member -> TypeNames.descriptor(member.getParameterTypes(), void.class));
        for (Constructor<?> constructor : sorted(constructors, order)) {
            if (!Modifier.isAbstract(type.getModifiers()) && !type.isEnum()) {
                add(executable(constructor, type, bindings));
            }
        }
        for (Method method : sorted(type.getDeclaredMethods(), order)) {
            if (!method.isBridge() && !method.getName().equals("finalize")) {
                add(executable(method, type, bindings));
            }
        }
        for (Field field : sorted(type.getDeclaredFields(), Comparator.comparing(Field::getName))) {
            addField(field, type, bindings);
        }
    }

    /** Methods of generic supertypes, where this class says what their variables are. */
    private void addInherited(Class<?> type, Map<TypeVariable<?>, Type> bindings) {
        for (Class<?> ancestor = type.getSuperclass(); ancestor != null; ancestor = ancestor.getSuperclass()) {
            if (ancestor.getTypeParameters().length == 0 || !world.isSubject(ancestor)) {
                continue;
            }
            for (Method method : sorted(ancestor.getDeclaredMethods(), Comparator.comparing(Method::toString))) {
                CallableSpec spec = executable(method, type, bindings);
                CallableSpec plain = executable(method, ancestor, Collections.<TypeVariable<?>, Type>emptyMap());
                boolean specialised = spec != null && plain != null && !method.isBridge()
                        && !(spec.parameters.equals(plain.parameters) && spec.result.equals(plain.result));
                if (specialised) {
                    add(spec);
                }
            }
        }
    }

    /** What the variables of all supertypes stand for, as seen from a class. */
    static Map<TypeVariable<?>, Type> bindings(Class<?> type) {
        Map<TypeVariable<?>, Type> bindings = new HashMap<>();
        Deque<Type> open = new ArrayDeque<>();
        open.add(type);
        for (int guard = 0; !open.isEmpty() && guard < 200; guard++) {
            Type next = open.poll();
            Class<?> erased = TypeNames.erase(next);
            if (next instanceof ParameterizedType) {
                Type[] arguments = ((ParameterizedType) next).getActualTypeArguments();
                TypeVariable<?>[] variables = erased.getTypeParameters();
                for (int i = 0; i < Math.min(arguments.length, variables.length); i++) {
                    bindings.put(variables[i], arguments[i]);
                }
            }
            if (erased.getGenericSuperclass() != null) {
                open.add(erased.getGenericSuperclass());
            }
            open.addAll(Arrays.asList(erased.getGenericInterfaces()));
        }
        return bindings;
    }

    private CallableSpec executable(Executable member, Class<?> owner, Map<TypeVariable<?>, Type> bindings) {
        int visibility = Math.max(visibility(member.getModifiers()), visibility(owner));
        if (member.isSynthetic() || visibility == PRIVATE) {
            return null;
        }
        boolean isConstructor = member instanceof Constructor;
        CallableSpec spec = new CallableSpec();
        Class<?> result = isConstructor ? void.class : ((Method) member).getReturnType();
        spec.kind = isConstructor ? CallableSpec.CONSTRUCTOR
                : Modifier.isStatic(member.getModifiers()) ? CallableSpec.STATIC_METHOD : CallableSpec.METHOD;
        spec.owner = owner.getName();
        spec.name = isConstructor ? "<init>" : member.getName();
        spec.descriptor = TypeNames.descriptor(member.getParameterTypes(), result);
        Type[] parameters = member.getGenericParameterTypes();
        if (parameters.length != member.getParameterTypes().length) {
            // Signatures of inner classes and enums leave out what the compiler adds.
            parameters = member.getParameterTypes();
        }
        spec.parameters = names(parameters, bindings);
        spec.result = isConstructor ? owner.getName() : name(((Method) member).getGenericReturnType(), bindings);
        spec.varargs = member.isVarArgs();
        spec.visibility = visibility;
        spec.exceptions = names(member.getExceptionTypes(), bindings);
        return spec;
    }

    private void addField(Field field, Class<?> owner, Map<TypeVariable<?>, Type> bindings) {
        int visibility = Math.max(visibility(field.getModifiers()), visibility(owner));
        if (field.isSynthetic() || visibility == PRIVATE) {
            return;
        }
        boolean isStatic = Modifier.isStatic(field.getModifiers());
        CallableSpec reader = field(field, owner, visibility);
        reader.kind = isStatic ? CallableSpec.STATIC_GET : CallableSpec.FIELD_GET;
        reader.parameters = Collections.emptyList();
        reader.result = name(field.getGenericType(), bindings);
        add(reader);
        if (!Modifier.isFinal(field.getModifiers())) {
            CallableSpec writer = field(field, owner, visibility);
            writer.kind = isStatic ? CallableSpec.STATIC_SET : CallableSpec.FIELD_SET;
            writer.parameters = Collections.singletonList(reader.result);
            writer.result = "void";
            add(writer);
        }
    }

    private static CallableSpec field(Field field, Class<?> owner, int visibility) {
        CallableSpec spec = new CallableSpec();
        spec.owner = owner.getName();
        spec.name = field.getName();
        spec.descriptor = TypeNames.descriptor(field.getType());
        spec.visibility = visibility;
        spec.exceptions = Collections.emptyList();
        return spec;
    }

    private void add(CallableSpec spec) {
        if (spec != null && keys.add(spec.key())) {
            callables.add(spec);
        }
    }

    private List<String> names(Type[] types, Map<TypeVariable<?>, Type> bindings) {
        List<String> names = new ArrayList<>();
        for (Type type : types) {
            names.add(name(type, bindings));
        }
        return names;
    }

    private String name(Type type, Map<TypeVariable<?>, Type> bindings) {
        mention(type);
        return TypeNames.name(type, bindings);
    }

    private void mention(Type type) {
        if (type instanceof ParameterizedType) {
            for (Type argument : ((ParameterizedType) type).getActualTypeArguments()) {
                if (argument instanceof Class || argument instanceof ParameterizedType) {
                    mention(argument);
                }
            }
        }
        Class<?> erased = TypeNames.erase(type);
        while (erased.isArray()) {
            erased = erased.getComponentType();
        }
        if (erased.isPrimitive() || !mentioned.add(erased)) {
            return;
        }
        if (world.isSubject(erased)) {
            enqueue(erased);
        }
    }

    /** Public, protected, package or private, for a class as its enclosing classes leave it. */
    static int visibility(Class<?> type) {
        int visibility = visibility(type.getModifiers());
        Class<?> outer = type.getDeclaringClass();
        return outer == null ? visibility : Math.max(visibility, visibility(outer));
    }

    static int visibility(int modifiers) {
        if (Modifier.isPublic(modifiers)) {
            return CallableSpec.PUBLIC;
        }
        if (Modifier.isPrivate(modifiers)) {
            return PRIVATE;
        }
        return Modifier.isProtected(modifiers) ? CallableSpec.PROTECTED : CallableSpec.PACKAGE;
    }

    private void addLibraryClasses() {
        for (Class<?> type : new ArrayList<>(mentioned)) {
            if (world.isSubject(type) || visibility(type) != CallableSpec.PUBLIC) {
                continue;
            }
            boolean foreign = Shape.isOfTheJdk(type) && !isHarmless(type);
            try {
                if (type.isEnum() || !foreign) {
                    addConstants(type);
                }
                if (!foreign && !type.isEnum()) {
                    addFactories(type);
                }
                if (!foreign && !Modifier.isAbstract(type.getModifiers())) {
                    addConstructors(type);
                }
            } catch (LinkageError broken) {
                problems.add(type.getName() + ": " + broken);
            }
        }
    }

    private void addConstructors(Class<?> type) {
        for (Constructor<?> constructor : sorted(type.getConstructors(), Comparator.comparing(Constructor::toString))) {
            add(executable(constructor, type, Collections.<TypeVariable<?>, Type>emptyMap()));
        }
    }

    /** Constants that are of the type itself, those of enums among them. */
    private void addConstants(Class<?> type) {
        int count = 0;
        for (Field field : sorted(type.getFields(), Comparator.comparing(Field::getName))) {
            boolean isConstant = Modifier.isStatic(field.getModifiers()) && Modifier.isFinal(field.getModifiers());
            if (isConstant && field.getDeclaringClass() == type && field.getType() == type && count++ < MAX_CONSTANTS) {
                addField(field, type, Collections.<TypeVariable<?>, Type>emptyMap());
            }
        }
    }

    /** Static methods that make one of the type from arguments. Those without any are clocks and chance, mostly. */
    private void addFactories(Class<?> type) {
        int count = 0;
        for (Method method : sorted(type.getMethods(), Comparator.comparing(Method::toString))) {
            boolean makes = Modifier.isStatic(method.getModifiers()) && method.getReturnType() == type
                    && method.getDeclaringClass() == type && method.getParameterTypes().length > 0
                    && !method.getName().equals("now");
            if (makes && count++ < MAX_FACTORIES) {
                add(executable(method, type, Collections.<TypeVariable<?>, Type>emptyMap()));
            }
        }
    }

    private static boolean isHarmless(Class<?> type) {
        String name = type.getName();
        return Arrays.asList(Helpers.PACKAGES).contains(packageOf(name) + ".")
                && !Arrays.asList(Helpers.UNWANTED).contains(name);
    }

    private void addHelpers() {
        for (String helper : Helpers.MEMBERS) {
            int hash = helper.indexOf('#');
            try {
                addHelper(Class.forName(helper.substring(0, hash), false, world.loader), helper.substring(hash + 1));
            } catch (ClassNotFoundException notInThisJdk) {
                // Its part of the JDK is not there.
            }
        }
    }

    private void addHelper(Class<?> type, String wanted) {
        Map<TypeVariable<?>, Type> none = Collections.emptyMap();
        mentioned.add(type);
        for (Constructor<?> constructor : type.getConstructors()) {
            if (signature(constructor, "<init>").equals(wanted)) {
                add(executable(constructor, type, none));
            }
        }
        for (Method method : type.getMethods()) {
            if (!method.isBridge() && signature(method, method.getName()).equals(wanted)) {
                add(executable(method, type, none));
            }
        }
        for (Field field : type.getFields()) {
            if (wanted.equals("-" + field.getName())) {
                addField(field, type, none);
            }
        }
    }

    private static String signature(Executable member, String name) {
        StringBuilder text = new StringBuilder(name).append('(');
        for (Class<?> parameter : member.getParameterTypes()) {
            text.append(text.charAt(text.length() - 1) == '(' ? "" : ",").append(TypeNames.name(parameter));
        }
        return text.append(')').toString();
    }

    private static <T> T[] sorted(T[] members, Comparator<? super T> order) {
        T[] copy = members.clone();
        Arrays.sort(copy, order);
        return copy;
    }

    void put(PayloadWriter out) {
        out.u32(callables.size());
        for (CallableSpec spec : callables) {
            spec.put(out);
        }
        Set<Class<?>> all = new LinkedHashSet<>(done);
        all.addAll(mentioned);
        out.u32(all.size());
        for (Class<?> type : all) {
            putType(type, out);
        }
        out.strings(problems);
    }

    private void putType(Class<?> type, PayloadWriter out) {
        boolean isInterface = type.isInterface();
        out.string(type.getName()).flag(Modifier.isAbstract(type.getModifiers())).flag(isInterface);
        out.flag(isInterface && isFunctional(type));
        Set<String> supertypes = new LinkedHashSet<>();
        collectSupertypes(type, supertypes);
        supertypes.remove(type.getName());
        out.strings(supertypes);
        boolean isInner = type.getDeclaringClass() != null && !Modifier.isStatic(type.getModifiers()) && !isInterface;
        out.flag(world.isSubject(type)).flag(type.isEnum()).flag(isInner);
        Subclassing subclassing = world.isSubject(type) ? Subclassing.of(type) : null;
        out.flag(subclassing != null);
        if (subclassing != null) {
            subclassing.put(out);
        }
    }

    private static void collectSupertypes(Class<?> type, Set<String> names) {
        if (!names.add(type.getName())) {
            return;
        }
        if (type.getSuperclass() != null) {
            collectSupertypes(type.getSuperclass(), names);
        }
        for (Class<?> parent : type.getInterfaces()) {
            collectSupertypes(parent, names);
        }
        if (type.isInterface()) {
            names.add("java.lang.Object");
        }
    }

    private static boolean isFunctional(Class<?> type) {
        Set<String> open = new HashSet<>();
        for (Method method : type.getMethods()) {
            if (Modifier.isAbstract(method.getModifiers()) && !isOfObject(method)) {
                open.add(signature(method, method.getName()));
            }
        }
        return open.size() == 1;
    }

    private static boolean isOfObject(Method method) {
        try {
            Object.class.getMethod(method.getName(), method.getParameterTypes());
            return true;
        } catch (NoSuchMethodException itsOwn) {
            return false;
        }
    }
}
