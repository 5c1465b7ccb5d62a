package bonafix.runtime;

import java.io.FileOutputStream;
import java.io.IOException;

/**
 * The way from the runner to the driver. Each frame carries the secret of the request, so that a subject that finds
 * the pipe still cannot speak in the runner's name by chance.
 *
 * <p>A plain {@link FileOutputStream}, not a channel: a channel is closed when a test interrupts the writing thread.
 */
final class EventChannel {
    private final FileOutputStream out;
    private final String nonce;

    EventChannel(String path, String nonce) throws IOException {
        this.out = new FileOutputStream(path, true);
        this.nonce = nonce;
    }

    PayloadWriter event(int tag) {
        return new PayloadWriter().string(nonce).u8(tag);
    }

    synchronized void send(PayloadWriter event) {
        try {
            event.writeFrame(out);
        } catch (IOException readerGone) {
            // Nobody is left to report to; going on would only burn time.
            Exit.halt(Protocol.EXIT_READER_GONE);
        }
    }
}
