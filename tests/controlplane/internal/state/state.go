// Package state names the files by which the parts of a control plane find each other. `controlplane up` writes
// them; kubelets, the recorder and the tests read them.
package state

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"driftbar.io/tests/controlplane/internal/kubeconfig"
	"driftbar.io/tests/controlplane/internal/pki"
)

// Dir is the folder of one control plane.
type Dir string

// The files that more than one program reads.
const (
	CACert   = "ca.crt"
	CAKey    = "ca.key"
	Endpoint = "apiserver.url"
	Token    = "admin.token"
	Host     = "webhook.host"
)

// File is the path of one file of the folder.
func (d Dir) File(name string) string { return filepath.Join(string(d), name) }

// Kubeconfig is the path of a user's kubeconfig: `admin`, `scheduler`, `controller-manager`.
func (d Dir) Kubeconfig(user string) string { return d.File(user + ".kubeconfig") }

// Log is the path of what a component printed.
func (d Dir) Log(component string) string { return d.File(component + ".log") }

// Write keeps one small text, readable by its owner only.
func (d Dir) Write(name, text string) error {
	return os.WriteFile(d.File(name), []byte(text+"\n"), 0o600)
}

// Read returns what Write kept.
func (d Dir) Read(name string) (string, error) {
	text, err := os.ReadFile(d.File(name))
	return strings.TrimSpace(string(text)), err
}

// Authority is the control plane's own, which signs servers and clients alike.
func (d Dir) Authority() (*pki.Authority, error) {
	return pki.LoadAuthority(d.File(CACert), d.File(CAKey))
}

// Introduce issues a client pair for user and writes it as the kubeconfig called file.
func (d Dir) Introduce(authority *pki.Authority, file, user string, groups ...string) error {
	endpoint, err := d.Read(Endpoint)
	if err != nil {
		return fmt.Errorf("no control plane was started in %s: %w", d, err)
	}
	pair, err := authority.Client(user, groups...)
	if err != nil {
		return err
	}
	return kubeconfig.Write(d.Kubeconfig(file), endpoint, authority.Cert, pair)
}
