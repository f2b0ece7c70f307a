// hubgen.js
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';

import { KubeConfig } from '@kubernetes/client-node';

// Starts a server of its own. Returns the configuration of clients, and what ends the server.
export async function serve() {
    const folder = mkdtempSync(`${tmpdir()}/hubgen-`);
    writeFileSync(`${folder}/tokens.csv`, 'secret,ada,1,"system:masters"\n');
    const files = [`--cert-dir=${folder}`, `--token-auth-file=${folder}/tokens.csv`, `--kubeconfig=${folder}/kubeconfig`];
    const options = ['serve', '--json', '--in-memory', '--port=0', ...files];
    const server = spawn(process.env.HUBGEN ?? 'hubgen', options, { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = await Promise.race([once(server.stdout, 'data'), once(server, 'exit')]);
    if (!Buffer.isBuffer(line)) throw new Error('hubgen serve has ended');
    const config = new KubeConfig();
    config.loadFromFile(`${folder}/kubeconfig`);
    return { config, stop: () => server.kill() };
}
