package up

import (
	"crypto/rand"
	"fmt"
	"os"

	"driftbar.io/tests/controlplane/internal/hostname"
	"driftbar.io/tests/controlplane/internal/pki"
	"driftbar.io/tests/controlplane/internal/state"
)

// users are those that get a kubeconfig, by file, with their name and groups.
var users = []struct {
	file, user string
	groups     []string
}{
	{"admin", "admin", []string{"system:masters"}},
	{"scheduler", "system:kube-scheduler", nil},
	{"controller-manager", "system:kube-controller-manager", nil},
}

// writeFiles writes all that the components read: keys, tokens, kubeconfigs, the hosts file.
func (p *plane) writeFiles() error {
	steps := []func() error{p.writeNames, p.writeKeys, p.writeToken, p.writeKubeconfigs}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (p *plane) writeNames() error {
	if err := p.dir.Write(state.Endpoint, p.url()); err != nil {
		return err
	}
	if err := p.dir.Write(state.Host, p.name.Host+" "+p.name.Address); err != nil {
		return err
	}
	hosts, err := hostname.Hosts()
	if err != nil {
		return err
	}
	return os.WriteFile(p.dir.File("hosts"), []byte(hosts), 0o644)
}

func (p *plane) writeKeys() (err error) {
	if p.ca, err = pki.NewAuthority("controlplane"); err != nil {
		return err
	}
	if err := p.ca.Save(p.dir.File(state.CACert), p.dir.File(state.CAKey)); err != nil {
		return err
	}
	// 10.0.0.1 is the first address of the Services' range, that of the Service `kubernetes`.
	server, err := p.ca.Server("kubernetes.default.svc", "kubernetes.default", "kubernetes", "localhost", "127.0.0.1", "10.0.0.1")
	if err != nil {
		return err
	}
	if err := server.Save(p.dir.File("apiserver.crt"), p.dir.File("apiserver.key")); err != nil {
		return err
	}
	private, public, err := pki.SigningKey()
	if err != nil {
		return err
	}
	return pki.Pair{Cert: public, Key: private}.Save(p.dir.File("serviceaccount.pub"), p.dir.File("serviceaccount.key"))
}

func (p *plane) writeToken() error {
	token := rand.Text()
	if err := p.dir.Write(state.Token, token); err != nil {
		return err
	}
	return p.dir.Write("tokens.csv", token+`,token-admin,token-admin,"system:masters"`)
}

func (p *plane) writeKubeconfigs() error {
	for _, u := range users {
		if err := p.dir.Introduce(p.ca, u.file, u.user, u.groups...); err != nil {
			return err
		}
	}
	return nil
}

func (p *plane) url() string { return fmt.Sprintf("https://127.0.0.1:%d", p.ports.apiserver) }
