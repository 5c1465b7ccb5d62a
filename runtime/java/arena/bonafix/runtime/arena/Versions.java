package bonafix.runtime.arena;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** All versions of the subject, from which worlds with fresh static state are made. */
final class Versions {
    private final URL[] libraries;
    private final List<VersionFiles> files = new ArrayList<>();
    private final IdentityHashes hashes;
    List<CallableSpec> catalog = Collections.emptyList();
    private URLClassLoader shared;
    private World[] worlds;

    Versions(List<String> libraries, List<List<String>> classPaths) throws IOException {
        this.libraries = VersionFiles.urls(libraries);
        for (List<String> classPath : classPaths) {
            files.add(new VersionFiles(classPath));
        }
        hashes = new IdentityHashes(files, this.libraries);
    }

    int count() {
        return files.size();
    }

    VersionFiles files(int version) {
        return files.get(version);
    }

    /** The worlds that are in use; libraries are shared between them. */
    World[] current() {
        if (worlds == null) {
            shared = World.sharedLoader(libraries);
            worlds = new World[files.size()];
            for (int i = 0; i < worlds.length; i++) {
                worlds[i] = new World(files.get(i), shared, catalog, hashes);
            }
        }
        return worlds;
    }

    /** Forgets them: the next ones have fresh static state, in the libraries too. */
    void reset() throws IOException {
        if (worlds != null) {
            for (World world : worlds) {
                world.close();
            }
            shared.close();
            worlds = null;
        }
    }

    /** A world that shares nothing with any other. */
    World alone(int version) {
        return new World(files.get(version), World.sharedLoader(libraries), catalog, hashes);
    }
}
