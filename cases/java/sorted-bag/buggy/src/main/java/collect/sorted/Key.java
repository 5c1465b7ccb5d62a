package collect.sorted;

/** Picks the part of an element by which a list is sorted. */
public interface Key<T, K extends Comparable<? super K>> {
    K of(T element);
}
