// Package kubeconfig writes kubeconfig files: one cluster, one user with a client certificate, all of it inline.
package kubeconfig

import (
	"encoding/base64"
	"fmt"
	"os"

	"driftbar.io/tests/controlplane/internal/pki"
)

const layout = `apiVersion: v1
kind: Config
clusters:
- name: test
  cluster:
    server: %s
    certificate-authority-data: %s
users:
- name: test
  user:
    client-certificate-data: %s
    client-key-data: %s
contexts:
- name: test
  context: {cluster: test, user: test}
current-context: test
`

// Write makes path a kubeconfig for the API server at server, which ca vouches for, and for the owner of client.
func Write(path, server string, ca []byte, client pki.Pair) error {
	b64 := base64.StdEncoding.EncodeToString
	text := fmt.Sprintf(layout, server, b64(ca), b64(client.Cert), b64(client.Key))
	return os.WriteFile(path, []byte(text), 0o600)
}
