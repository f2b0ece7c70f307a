// Checks a running server with the official JavaScript client.
//
// The argument is a kubeconfig, which tells the server and a token. It prints a line per check, and exits with 1 at the
// first check that fails. It writes to a namespace of its own and a definition, and removes its objects.

import { deepStrictEqual } from 'node:assert';

import { EventEmitter, on } from 'node:events';

import * as k8s from '@kubernetes/client-node';

const namespace = 'clients-javascript';
const group = 'javascript.clients.example.com';
const { JsonPatch, MergePatch, StrategicMergePatch, ServerSideApply } = k8s.PatchStrategy;
// The longest time that a check waits, in milliseconds.
const patience = 60_000;

const config = new k8s.KubeConfig();

function expect(what, found, expected) {
    // Objects of the client have classes of their own.
    const plain = (value) => (value === undefined ? value : JSON.parse(JSON.stringify(value)));
    deepStrictEqual(plain(found), plain(expected), `${what}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`);
}

// Expects that a call is refused. Returns the Status that tells why.
async function refused(what, code, reason, call) {
    let found;
    try {
        found = await call();
    } catch (error) {
        if (!(error instanceof k8s.ApiException)) {
            throw error;
        }
        const status = typeof error.body === 'string' ? JSON.parse(error.body) : error.body;
        expect(what, [error.code, status.kind, status.reason], [code, 'Status', reason]);
        return status;
    }
    throw new Error(`${what}: expected ${code} ${reason}, found ${JSON.stringify(found)}`);
}

// A client whose patches are of one kind.
const patchesOf = (strategy) => k8s.setHeaderOptions('Content-Type', strategy);

const configMap = (name, labels, data = { color: 'red' }) => ({ metadata: { name, labels }, data });

// A deployment with one container, and no number of replicas.
const deployment = (name) => ({
    metadata: { name },
    spec: {
        selector: { matchLabels: { app: name } },
        template: { metadata: { labels: { app: name } }, spec: { containers: [{ name, image: name }] } },
    },
});

const images = (found) => found.spec.template.spec.containers.map(({ name, image }) => `${name}=${image}`);

// Watches a path. Returns the events as an iterator, and what ends the watch.
async function watch(path, query) {
    const told = new EventEmitter();
    const controller = await new k8s.Watch(config).watch(
        path,
        query,
        (type, object) => told.emit('event', { type, object }),
        (error) => told.emit('event', { type: 'END', object: error }),
    );
    const events = on(told, 'event', { signal: AbortSignal.timeout(patience) });
    return { next: async () => (await events.next()).value[0], end: () => controller.abort() };
}

const mapsPath = `/api/v1/namespaces/${namespace}/configmaps`;

const checks = {
    discovery: async ({ apis, apps, version }) => {
        const groups = await apis.getAPIVersions();
        const found = groups.groups.find((group) => group.name === 'apps');
        expect('preferred version', found.preferredVersion.groupVersion, 'apps/v1');
        const { resources } = await apps.getAPIResources();
        expect('kind', resources.find((resource) => resource.name === 'deployments').kind, 'Deployment');
        const { major, gitVersion, platform } = await version.getCode();
        expect('version', [major, typeof gitVersion, typeof platform], ['1', 'string', 'string']);
    },

    'who asks': async ({ reviews }) => {
        const { status } = await reviews.createSelfSubjectReview({ body: {} });
        expect('whether the user is in a group of admins', status.userInfo.groups.includes('system:masters'), true);
        const strange = new k8s.KubeConfig();
        strange.loadFromClusterAndUser(config.getCurrentCluster(), { name: 'stranger', token: 'wrong' });
        const stranger = strange.makeApiClient(k8s.CoreV1Api);
        // The client keeps the Status of this one to itself.
        const error = await stranger.listNamespace().then(() => undefined, (error) => error);
        expect('code of a wrong token', error?.code, 401);
    },

    'a config map from creation to deletion': async ({ core }) => {
        const of = { namespace, name: 'a' };
        const status = await refused('read before', 404, 'NotFound', () => core.readNamespacedConfigMap(of));
        expect('message', status.message, 'configmaps "a" not found');
        const create = () => core.createNamespacedConfigMap({ namespace, body: configMap('a') });
        const created = await create();
        await refused('create again', 409, 'AlreadyExists', create);
        expect('read', await core.readNamespacedConfigMap(of), created);
        const body = { ...created, data: { color: 'green' } };
        const replaced = await core.replaceNamespacedConfigMap({ ...of, body });
        expect('data', replaced.data, { color: 'green' });
        await refused('replace what is outdated', 409, 'Conflict', () => core.replaceNamespacedConfigMap({ ...of, body }));
        await core.deleteNamespacedConfigMap(of);
        await refused('read after', 404, 'NotFound', () => core.readNamespacedConfigMap(of));
    },

    'lists in pages, by labels and by fields': async ({ core }) => {
        for (const name of 'abcde') {
            const body = configMap(name, { group: 'ace'.includes(name) ? 'odd' : 'even' });
            await core.createNamespacedConfigMap({ namespace, body });
        }
        const names = ({ items }) => items.map((item) => item.metadata.name);
        const list = (query) => core.listNamespacedConfigMap({ namespace, labelSelector: 'group', ...query });
        const pages = [];
        let _continue;
        do {
            const page = await list({ limit: 2, _continue });
            pages.push(names(page));
            _continue = page.metadata._continue;
        } while (_continue);
        expect('pages', pages, [['a', 'b'], ['c', 'd'], ['e']]);
        expect('by label', names(await list({ labelSelector: 'group in (odd),group!=even' })), ['a', 'c', 'e']);
        expect('by field', names(await list({ fieldSelector: 'metadata.name=d' })), ['d']);
        const everywhere = await core.listConfigMapForAllNamespaces({ labelSelector: 'group=even' });
        expect('in all namespaces', names(everywhere), ['b', 'd']);
        await core.deleteCollectionNamespacedConfigMap({ namespace, labelSelector: 'group' });
    },

    'a watch that sees objects come, change and go': async ({ core }) => {
        const { metadata } = await core.listNamespacedConfigMap({ namespace });
        await core.createNamespacedConfigMap({ namespace, body: configMap('a', { watched: 'yes' }) });
        const { resourceVersion } = metadata;
        const { next, end } = await watch(mapsPath, { labelSelector: 'watched=yes', resourceVersion });
        let event = await next();
        expect('first event', [event.type, event.object.metadata.name], ['ADDED', 'a']);
        const of = { namespace, name: 'a' };
        await core.patchNamespacedConfigMap({ ...of, body: { data: { color: 'blue' } } }, patchesOf(MergePatch));
        event = await next();
        expect('second event', [event.type, event.object.data], ['MODIFIED', { color: 'blue' }]);
        await core.deleteNamespacedConfigMap(of);
        expect('third event', (await next()).type, 'DELETED');
        end();
    },

    'a watch that begins with all objects, and a bookmark': async ({ core }) => {
        await core.createNamespacedConfigMap({ namespace, body: configMap('a', { watched: 'yes' }) });
        const { next, end } = await watch(mapsPath, {
            labelSelector: 'watched=yes',
            allowWatchBookmarks: true,
            sendInitialEvents: true,
            resourceVersionMatch: 'NotOlderThan',
        });
        expect('first event', (await next()).type, 'ADDED');
        const { type, object } = await next();
        expect('second event', [type, object.metadata.annotations], ['BOOKMARK', { 'k8s.io/initial-events-end': 'true' }]);
        end();
        await core.deleteNamespacedConfigMap({ namespace, name: 'a' });
    },

    'an informer': async ({ core }) => {
        const create = (name) => core.createNamespacedConfigMap({ namespace, body: configMap(name, { watched: 'yes' }) });
        await create('a');
        const labelSelector = 'watched=yes';
        const informer = k8s.makeInformer(
            config,
            mapsPath,
            () => core.listNamespacedConfigMap({ namespace, labelSelector }),
            labelSelector,
        );
        const told = new EventEmitter();
        for (const verb of ['add', 'update', 'delete']) {
            informer.on(verb, (object) => told.emit('event', `${verb} ${object.metadata.name}`));
        }
        const events = on(told, 'event', { signal: AbortSignal.timeout(patience) });
        const next = async () => (await events.next()).value[0];
        await informer.start();
        expect('first event', await next(), 'add a');
        await create('b');
        expect('second event', await next(), 'add b');
        const patch = { namespace, name: 'b', body: { data: { color: 'blue' } } };
        await core.patchNamespacedConfigMap(patch, patchesOf(MergePatch));
        expect('third event', await next(), 'update b');
        expect('cache', informer.get('b', namespace).data, { color: 'blue' });
        await core.deleteNamespacedConfigMap({ namespace, name: 'a' });
        expect('fourth event', await next(), 'delete a');
        expect('cache', informer.list(namespace).map((object) => object.metadata.name), ['b']);
        await informer.stop();
        await core.deleteNamespacedConfigMap({ namespace, name: 'b' });
    },

    'patches: JSON, merge, strategic merge': async ({ apps }) => {
        await apps.createNamespacedDeployment({ namespace, body: deployment('a') });
        const patch = (body, strategy) =>
            apps.patchNamespacedDeployment({ namespace, name: 'a', body }, patchesOf(strategy));
        const containers = (name) => ({ spec: { template: { spec: { containers: [{ name, image: name }] } } } });
        const operations = [
            { op: 'test', path: '/spec/replicas', value: 1 },
            { op: 'replace', path: '/spec/replicas', value: 2 },
        ];
        expect('replicas', (await patch(operations, JsonPatch)).spec.replicas, 2);
        await refused('a test that does not hold', 422, 'Invalid', () => patch(operations, JsonPatch));
        expect('after a strategic one', images(await patch(containers('b'), StrategicMergePatch)), ['b=b', 'a=a']);
        expect('after a merge patch', images(await patch(containers('c'), MergePatch)), ['c=c']);
        await apps.deleteNamespacedDeployment({ namespace, name: 'a' });
    },

    'applies by two managers: a conflict, and force': async ({ core }) => {
        const apply = (fieldManager, data, force) => {
            const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data };
            return core.patchNamespacedConfigMap(
                { namespace, name: 'a', body, fieldManager, force },
                patchesOf(ServerSideApply),
            );
        };
        const created = await apply('one', { color: 'red', size: '1' });
        expect('managers', created.metadata.managedFields.map(({ manager }) => manager), ['one']);
        const status = await refused('an apply of another\'s field', 409, 'Conflict', () => apply('two', { color: 'green' }));
        const cause = { reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.data.color' };
        expect('causes', status.details.causes, [cause]);
        expect('after force', (await apply('two', { color: 'green' }, true)).data, { color: 'green', size: '1' });
        expect('after giving up a field', (await apply('one', {})).data, { color: 'green' });
        await core.deleteNamespacedConfigMap({ namespace, name: 'a' });
    },

    'the status and the scale of a deployment': async ({ apps }) => {
        const of = { namespace, name: 'a' };
        const body = await apps.createNamespacedDeployment({ namespace, body: deployment('a') });
        expect('replicas, a default', body.spec.replicas, 1);
        body.status = { replicas: 3 };
        body.spec.replicas = 7;
        const changed = await apps.replaceNamespacedDeploymentStatus({ ...of, body });
        expect('replicas', [changed.spec.replicas, changed.status.replicas], [1, 3]);
        const scale = await apps.readNamespacedDeploymentScale(of);
        scale.spec.replicas = 5;
        await apps.replaceNamespacedDeploymentScale({ ...of, body: scale });
        const found = await apps.readNamespacedDeployment(of);
        expect('replicas after scaling', [found.spec.replicas, found.metadata.generation], [5, 2]);
        await apps.deleteNamespacedDeployment(of);
    },

    'a definition and its objects': async ({ definitions, custom }) => {
        const name = `gauges.${group}`;
        const spec = {
            type: 'object',
            properties: { size: { type: 'integer', minimum: 0 }, color: { type: 'string', _default: 'red' } },
        };
        await definitions.createCustomResourceDefinition({
            body: {
                metadata: { name },
                spec: {
                    group,
                    scope: 'Namespaced',
                    names: { kind: 'Gauge', plural: 'gauges' },
                    versions: [{
                        name: 'v1',
                        served: true,
                        storage: true,
                        schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
                    }],
                },
            },
        });
        const { next, end } = await watch('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
            fieldSelector: `metadata.name=${name}`,
        });
        const isEstablished = ({ object }) =>
            object.status.conditions?.some(({ type, status }) => type === 'Established' && status === 'True');
        while (!isEstablished(await next()));
        const kind = { group, version: 'v1', namespace, plural: 'gauges' };
        const gauge = (name, size) => ({ apiVersion: `${group}/v1`, kind: 'Gauge', metadata: { name }, spec: { size } });
        const created = await custom.createNamespacedCustomObject({ ...kind, body: gauge('a', 1) });
        expect('spec, with a default', created.spec, { size: 1, color: 'red' });
        const status = await refused('an invalid object', 422, 'Invalid', () =>
            custom.createNamespacedCustomObject({ ...kind, body: gauge('b', -1) }),
        );
        expect('field of the cause', status.details.causes[0].field, 'spec.size');
        const patch = (body, strategy, more) =>
            custom.patchNamespacedCustomObject({ ...kind, name: 'a', body, ...more }, patchesOf(strategy));
        expect('size after a merge patch', (await patch({ spec: { size: 2 } }, MergePatch)).spec.size, 2);
        const applied = await patch(gauge('a', 3), ServerSideApply, { fieldManager: 'one', force: true });
        expect('size after an apply', applied.spec.size, 3);
        const list = await custom.listNamespacedCustomObject(kind);
        expect('list', [list.kind, list.items], ['GaugeList', [applied]]);
        await custom.deleteNamespacedCustomObject({ ...kind, name: 'a' });
        await definitions.deleteCustomResourceDefinition({ name });
        while ((await next()).type !== 'DELETED');
        end();
    },

    'objects without types, found by discovery': async ({ objects }) => {
        const header = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a', namespace } };
        const created = await objects.create({ ...header, spec: { ports: [{ name: 'web', port: 80 }] } });
        expect('protocol, a default', created.spec.ports[0].protocol, 'TCP');
        const patch = { ...header, metadata: { ...header.metadata, labels: { a: 'b' } } };
        const applied = await objects.patch(patch, undefined, undefined, 'one', true, ServerSideApply);
        expect('labels', applied.metadata.labels, { a: 'b' });
        expect('read', await objects.read(header), applied);
        const list = await objects.list('v1', 'Service', namespace, undefined, undefined, undefined, undefined, 'a=b');
        expect('list', list.items.map((item) => item.metadata.name), ['a']);
        await objects.delete(header);
    },

    'deletions with options, and of a collection': async ({ core }) => {
        const created = await core.createNamespacedConfigMap({ namespace, body: configMap('a') });
        const remove = (body) => core.deleteNamespacedConfigMap({ namespace, name: 'a', body });
        const other = { uid: '00000000-0000-0000-0000-000000000000' };
        await refused('another object of the name', 409, 'Conflict', () => remove({ preconditions: other }));
        await remove({ dryRun: ['All'] });
        const { uid } = created.metadata;
        const status = await remove({ preconditions: { uid }, propagationPolicy: 'Background', gracePeriodSeconds: 0 });
        expect('answer', [status.kind, status.status, status.details.uid], ['Status', 'Success', uid]);
        for (const name of ['b', 'c', 'd']) {
            await core.createNamespacedConfigMap({ namespace, body: configMap(name, { remove: name === 'c' ? 'no' : 'yes' }) });
        }
        await core.deleteCollectionNamespacedConfigMap({ namespace, labelSelector: 'remove=yes' });
        const left = await core.listNamespacedConfigMap({ namespace, labelSelector: 'remove' });
        expect('left', left.items.map((item) => item.metadata.name), ['c']);
        await core.deleteNamespacedConfigMap({ namespace, name: 'c' });
    },

    'what the Status of an error tells': async ({ core }) => {
        const create = (body, fieldValidation) => core.createNamespacedConfigMap({ namespace, body, fieldValidation });
        const status = await refused('a name that no object may have', 422, 'Invalid', () => create(configMap('A_B')));
        const { kind, name, causes } = status.details;
        expect('kind and name', [kind, name], ['ConfigMap', 'A_B']);
        expect('causes', causes.map(({ reason, field }) => [reason, field]), [['FieldValueInvalid', 'metadata.name']]);
    },
};

async function main() {
    if (process.argv.length !== 3) {
        console.error('usage: node check.js KUBECONFIG');
        return 2;
    }
    config.loadFromFile(process.argv[2]);
    const clients = {
        apis: config.makeApiClient(k8s.ApisApi),
        version: config.makeApiClient(k8s.VersionApi),
        core: config.makeApiClient(k8s.CoreV1Api),
        apps: config.makeApiClient(k8s.AppsV1Api),
        reviews: config.makeApiClient(k8s.AuthenticationV1Api),
        definitions: config.makeApiClient(k8s.ApiextensionsV1Api),
        custom: config.makeApiClient(k8s.CustomObjectsApi),
        objects: k8s.KubernetesObjectApi.makeApiClient(config),
    };
    try {
        await clients.core.createNamespace({ body: { metadata: { name: namespace } } });
    } catch (error) {
        if (error.code !== 409) {
            throw error;
        }
    }
    let count = 0;
    for (const [name, check] of Object.entries(checks)) {
        try {
            await check(clients);
        } catch (error) {
            console.error(`failed: ${name}: ${error.stack}`);
            return 1;
        }
        console.log(`ok: ${name}`);
        count += 1;
    }
    console.log(`${count} of ${count} checks`);
    return 0;
}

process.exit(await main());
