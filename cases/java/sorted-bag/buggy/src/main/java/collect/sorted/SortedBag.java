package collect.sorted;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.NoSuchElementException;

/** Elements in ascending order; equal ones may occur several times and keep their order of arrival. */
public class SortedBag<E extends Comparable<? super E>> {
    private final List<E> elements = new ArrayList<>();

    /** Adds elements, not null. */
    @SafeVarargs
    public final SortedBag<E> add(E... added) {
        for (E element : added) {
            elements.add(SortedLists.upperBound(elements, element), element);
        }
        return this;
    }

    /**
     * Removes the earliest of the elements that compare as equal to a value.
     *
     * @return whether there was one
     */
    public boolean remove(E value) {
        int index = SortedLists.lowerBound(elements, value);
        if (index == elements.size() || elements.get(index).compareTo(value) != 0) {
            return false;
        }
        elements.remove(index);
        return true;
    }

    /** Returns how many elements compare as equal to a value. */
    public int count(E value) {
        return SortedLists.count(elements, value);
    }

    /** Returns the elements that are less than a value. */
    public List<E> below(E value) {
        return new ArrayList<>(elements.subList(0, SortedLists.lowerBound(elements, value)));
    }

    /**
     * Returns the least element.
     *
     * @throws NoSuchElementException if the bag is empty
     */
    public E first() {
        if (elements.isEmpty()) {
            throw new NoSuchElementException("empty bag");
        }
        return elements.get(0);
    }

    /** Returns all elements in ascending order, not modifiable. */
    public List<E> toList() {
        return Collections.unmodifiableList(elements);
    }
}
