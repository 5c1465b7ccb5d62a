package collect.sorted;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Functions on lists in ascending order. All of them require that the given lists are sorted and
 * have no null elements; for other lists the results are undefined. No list is modified.
 */
public final class SortedLists {
    private SortedLists() {
    }

    /**
     * Returns the position of the first element that is not less than a value: where the value
     * begins, or where it would go. It is the size of the list if all elements are less.
     */
    public static <T extends Comparable<? super T>> int lowerBound(List<? extends T> sorted, T value) {
        return lowerBoundBy(sorted, value, element -> element);
    }

    /** As {@link #lowerBound}, for a list that is sorted by a key of its elements. */
    public static <T, K extends Comparable<? super K>> int lowerBoundBy(
            List<? extends T> sorted, K value, Key<? super T, K> key) {
        int low = 0;
        int high = sorted.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            int order = key.of(sorted.get(middle)).compareTo(value);
            if (order == 0) {
                return middle;
            }
            if (order < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /**
     * Returns the position of the first element that is greater than a value, or the size of the
     * list if there is none.
     */
    public static <T extends Comparable<? super T>> int upperBound(List<? extends T> sorted, T value) {
        int low = 0;
        int high = sorted.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (sorted.get(middle).compareTo(value) <= 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Returns how many elements of a list compare as equal to a value. */
    public static <T extends Comparable<? super T>> int count(List<? extends T> sorted, T value) {
        return upperBound(sorted, value) - lowerBound(sorted, value);
    }

    /**
     * Merges any number of lists into a new one. Elements that compare as equal keep the order of
     * the lists.
     */
    @SafeVarargs
    @SuppressWarnings("varargs")
    public static <T extends Comparable<? super T>> List<T> merge(List<? extends T>... lists) {
        return mergeRange(lists, 0, lists.length);
    }

    private static <T extends Comparable<? super T>> List<T> mergeRange(
            List<? extends T>[] lists, int from, int to) {
        if (from == to) {
            return new ArrayList<>();
        }
        if (to - from == 1) {
            return new ArrayList<>(lists[from]);
        }
        int middle = (from + to) >>> 1;
        return mergeTwo(mergeRange(lists, from, middle), mergeRange(lists, middle, to));
    }

    private static <T extends Comparable<? super T>> List<T> mergeTwo(List<T> first, List<T> second) {
        if (second.isEmpty()) {
            return first;
        }
        List<T> merged = new ArrayList<>(first.size() + second.size());
        int i = 0;
        for (T element : second) {
            while (i < first.size() && first.get(i).compareTo(element) <= 0) {
                merged.add(first.get(i++));
            }
            merged.add(element);
        }
        merged.addAll(first.isEmpty() ? Collections.<T>emptyList() : first.subList(i, first.size()));
        return merged;
    }
}
