package bonafix.runtime.arena;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Numbers for names that come again and again; each is sent once. */
final class Names {
    private final Map<String, Integer> numbers = new HashMap<>();
    private List<String> unsent = new ArrayList<>();

    int number(String name) {
        Integer known = numbers.get(name);
        if (known != null) {
            return known;
        }
        int number = numbers.size();
        numbers.put(name, number);
        unsent.add(name);
        return number;
    }

    List<String> takeUnsent() {
        List<String> names = unsent;
        unsent = new ArrayList<>();
        return names;
    }
}
