// hubgen.test.js
import { CoreV1Api } from '@kubernetes/client-node';

import { serve } from './hubgen.js';

let server;
beforeAll(async () => { server = await serve(); });
afterAll(() => server?.stop());

test('a config map', async () => {
    const core = server.config.makeApiClient(CoreV1Api);
    const body = { metadata: { name: 'a' }, data: { color: 'red' } };
    await core.createNamespacedConfigMap({ namespace: 'default', body });
    const found = await core.readNamespacedConfigMap({ namespace: 'default', name: 'a' });
    expect(found.data).toEqual({ color: 'red' });
});
