package bonafix.runtime.arena;

import bonafix.runtime.LineTrace;
import bonafix.runtime.Probes;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;

/**
 * One sequence in one version, from the first step to the last or to the one that throws what is not caught.
 *
 * <p>Half of all sequences end in an exception, and what that costs grows with the depth of the stack. So from the
 * thread down to the subject there are as few methods as can be.
 */
final class Execution {
    final Observer observer;
    boolean threw;
    boolean unfit;
    /** The version has not what is called. */
    boolean unavailable;
    /** How many steps ran to their end. */
    int steps;
    /** A class could not be initialised, which it will not forget. */
    boolean spoiledClasses;
    /** It took more steps than it may; what was observed means nothing. */
    boolean endless;

    Execution(Names names, StaticsWatch watch) {
        observer = new Observer(names, watch);
    }

    /**
     * Runs; an {@link OutOfMemoryError} comes out as it is, all else is an observation. What is seen is looked at as
     * deeply as it was in another version, if one is given.
     */
    void run(Step[] sequence, World world, int depth, long limitSteps, Execution leader) {
        begin(world, depth, leader);
        Probes.beginSteps(limitSteps);
        try {
            Object[] slots = new Object[sequence.length];
            boolean goesOn = true;
            while (goesOn && steps < sequence.length) {
                Step step = sequence[steps];
                goesOn = step.kind == ArenaProtocol.STEP_CALL
                        ? call(step, steps, slots, world, steps == sequence.length - 1)
                        : make(step, steps, slots, world);
                steps += goesOn ? 1 : 0;
            }
            if (goesOn) {
                observer.end(Observer.COMPLETED, steps);
            }
        } finally {
            Probes.endSteps();
            endless = Probes.isPassed();
            spoiledClasses |= Probes.endedInitializer();
        }
    }

    private void begin(World world, int depth, Execution leader) {
        threw = false;
        unfit = false;
        unavailable = false;
        steps = 0;
        spoiledClasses = false;
        observer.begin(world, depth, leader == null ? null : leader.observer);
    }

    /** Whether the sequence goes on. */
    private boolean make(Step step, int number, Object[] slots, World world) {
        slots[number] = step.constant;
        if (step.type == null) {
            return true;
        }
        try {
            Class<?> type = world.load(step.type);
            if (step.kind == ArenaProtocol.STEP_CONSTANT) {
                slots[number] = type;
            } else if (step.kind == ArenaProtocol.STEP_STUB) {
                slots[number] = stub(step, type, slots, world);
                if (Probes.isPassed()) {
                    return false;
                }
            } else {
                slots[number] = array(type, gather(step.slots, slots));
            }
            return true;
        } catch (InvocationTargetException thrown) {
            if (Probes.isPassed()) {
                return false;
            }
            noStub(number, thrown.getCause());
        } catch (ReflectiveOperationException | LinkageError missing) {
            spoiledClasses = missing instanceof ExceptionInInitializerError;
            observer.end(Observer.UNAVAILABLE, number);
        } catch (IllegalArgumentException wrongElement) {
            observer.mismatch(number, wrongElement);
        }
        unfit = true;
        return false;
    }

    /** What an abstract class does when it is made belongs to the sequence. */
    private static Object stub(Step step, Class<?> type, Object[] slots, World world)
            throws ReflectiveOperationException {
        LineTrace.resume();
        try {
            return Stub.of(type, gather(step.slots, slots), world);
        } finally {
            LineTrace.rest();
        }
    }

    /** The constructor of an abstract class threw: there is no object, as if the class were not there. */
    private void noStub(int number, Throwable thrown) {
        if (thrown instanceof OutOfMemoryError && !isOnlyTooLarge((OutOfMemoryError) thrown)) {
            throw (OutOfMemoryError) thrown;
        }
        spoiledClasses = thrown instanceof LinkageError;
        observer.end(Observer.UNAVAILABLE, number);
    }

    private static Object array(Class<?> element, Object[] items) {
        Object array = Array.newInstance(element, items.length);
        for (int i = 0; i < items.length; i++) {
            if (items[i] == null && element.isPrimitive()) {
                throw new IllegalArgumentException("null in an array of a primitive type");
            }
            Array.set(array, i, items[i]);
        }
        return array;
    }

    private static Object[] gather(int[] from, Object[] slots) {
        Object[] values = new Object[from.length];
        for (int i = 0; i < values.length; i++) {
            values[i] = slots[from[i]];
        }
        return values;
    }

    /** Whether the sequence goes on. */
    private boolean call(Step step, int number, Object[] slots, World world, boolean isLast) {
        Linked callable = world.linked(step.callable);
        Object[] arguments = gather(step.slots, slots);
        if (!fits(step, callable, arguments, number)) {
            unfit = true;
            return false;
        }
        observer.calls(callable);
        Object result;
        LineTrace.resume();
        try {
            result = (Object) callable.handle.invokeExact(arguments);
            LineTrace.rest();
        } catch (OutOfMemoryError full) {
            LineTrace.rest();
            if (!isOnlyTooLarge(full)) {
                throw full;
            }
            failed(number, callable, arguments, full);
            return false;
        } catch (Throwable thrown) {
            LineTrace.rest();
            if (Probes.isPassed()) {
                return false;
            }
            if (step.caught && isCatchable(thrown)) {
                slots[number] = thrown;
                observer.caught(number, callable, arguments, thrown);
                return true;
            }
            failed(number, callable, arguments, thrown);
            return false;
        }
        if (Probes.isPassed()) {
            return false;
        }
        slots[number] = result;
        observer.returned(number, callable, arguments, result, isLast);
        return true;
    }

    private boolean fits(Step step, Linked callable, Object[] arguments, int number) {
        if (callable == null) {
            unavailable = true;
            observer.end(Observer.UNAVAILABLE, number);
            return false;
        }
        if (arguments.length != callable.types.length || step.hasReceiver != callable.needsReceiver) {
            observer.mismatch(number, arguments);
            return false;
        }
        if (callable.needsReceiver && arguments[0] == null) {
            observer.end(Observer.NULL_RECEIVER, number);
            return false;
        }
        for (int i = 0; i < arguments.length; i++) {
            if (!callable.accepts(i, arguments[i])) {
                observer.mismatch(number, arguments[i]);
                return false;
            }
        }
        return true;
    }

    /** Ended like another, and left something else behind in static fields. */
    boolean leftOtherStatics(Execution other) {
        return threw == other.threw && steps == other.steps && observer.staticsDigest != other.observer.staticsDigest;
    }

    private void failed(int number, Linked callable, Object[] arguments, Throwable thrown) {
        threw = true;
        spoiledClasses = thrown instanceof LinkageError;
        // How deep the stack was when it gave out is chance, and so is what was done by then.
        if (!(thrown instanceof StackOverflowError)) {
            observer.failed(number, callable, arguments);
        }
        observer.threw(number, thrown);
    }

    /** What programs catch. After an error of the machine nothing that follows means anything. */
    private static boolean isCatchable(Throwable thrown) {
        return thrown instanceof Exception || thrown instanceof AssertionError;
    }

    /** An array longer than any may be: nothing was used up. */
    private static boolean isOnlyTooLarge(OutOfMemoryError error) {
        String message = error.getMessage();
        return message != null && message.startsWith("Requested array size");
    }
}
