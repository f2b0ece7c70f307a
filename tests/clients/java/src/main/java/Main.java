import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.JSON;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Status;
import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.KubeConfig;
import java.io.File;
import java.io.FileReader;
import java.util.Map;
import java.util.Objects;

/**
 * Checks a running server with the official Java client.
 *
 * <p>The argument is a kubeconfig, which tells the server and a token. It prints a line per check, and exits with 1 at the
 * first check that fails. It writes to a namespace of its own and a definition, and removes its objects.
 */
final class Main {
    static final String NAMESPACE = "clients-java";

    /** What may fail. */
    interface Call<T> {
        T run() throws Exception;
    }

    /** A check. */
    interface Check {
        void run() throws Exception;
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments.length != 1) {
            System.err.println("usage: Main KUBECONFIG");
            System.exit(2);
        }
        KubeConfig config;
        try (FileReader reader = new FileReader(arguments[0])) {
            config = KubeConfig.loadKubeConfig(reader);
        }
        config.setFile(new File(arguments[0]));
        ApiClient client = ClientBuilder.kubeconfig(config).build();
        try {
            V1Namespace namespace = new V1Namespace().metadata(new V1ObjectMeta().name(NAMESPACE));
            new CoreV1Api(client).createNamespace(namespace).execute();
        } catch (ApiException error) {
            if (error.getCode() != 409) {
                throw error;
            }
        }
        Map<String, Check> checks = new Checks(client, config).all();
        for (Map.Entry<String, Check> check : checks.entrySet()) {
            try {
                check.getValue().run();
            } catch (ApiException error) {
                fail(check.getKey(), error.getCode() + " " + error.getResponseBody(), error);
            } catch (Exception error) {
                fail(check.getKey(), error.toString(), error);
            }
            System.out.println("ok: " + check.getKey());
        }
        System.out.printf("%d of %d checks%n", checks.size(), checks.size());
        // Pools of connections keep threads.
        System.exit(0);
    }

    private static void fail(String name, String why, Exception error) {
        System.err.println("failed: " + name + ": " + why);
        error.printStackTrace();
        System.exit(1);
    }

    static void expect(String what, Object found, Object expected) {
        if (!Objects.equals(found, expected)) {
            throw new IllegalStateException(what + ": expected " + expected + ", found " + found);
        }
    }

    /** Expects that a call is refused. Returns the Status that tells why. */
    static V1Status refused(String what, int code, String reason, Call<?> call) throws Exception {
        Object found;
        try {
            found = call.run();
        } catch (ApiException error) {
            V1Status status = JSON.deserialize(error.getResponseBody(), V1Status.class);
            expect(what, error.getCode() + " " + status.getReason(), code + " " + reason);
            return status;
        }
        throw new IllegalStateException(what + ": expected " + code + " " + reason + ", found " + found);
    }
}
