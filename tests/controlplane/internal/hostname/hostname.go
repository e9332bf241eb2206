// Package hostname finds a host name that means this machine's loopback address, for the URLs of webhooks.
//
// It is needed because kube-apiserver speaks HTTP/2 to a webhook whose URL says `localhost` or a loopback address,
// and HTTP/1.1 to every other name, as it does to the Services of a real cluster. Where the machine's own name maps
// to loopback, that one is taken. Elsewhere the name is Alias, and only a process that Enter has put under a hosts
// file of its own can resolve it; the machine's file is never written.
package hostname

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"regexp"
	"strings"
	"syscall"
)

// Alias is under .test, which is reserved for this and never delegated.
const Alias = "webhooks.driftbar.test"

// Name is a host name, the address that servers reached by it listen on, and whether only Enter makes it known.
type Name struct {
	Host      string
	Address   string
	NeedsFile bool
}

// Choose returns the machine's own name where that will do, else the alias.
func Choose() Name {
	own, err := os.Hostname()
	if err != nil {
		return Name{Alias, "127.0.0.1", true}
	}
	addresses, err := net.DefaultResolver.LookupHost(context.Background(), own)
	if err != nil {
		addresses = nil
	}
	return choose(strings.ToLower(own), addresses)
}

// A webhook's URL wants a DNS name; `localhost` is what must be avoided.
var dnsName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)

func choose(own string, addresses []string) Name {
	alias := Name{Alias, "127.0.0.1", true}
	if !dnsName.MatchString(own) || own == "localhost" || strings.HasSuffix(own, ".localhost") {
		return alias
	}
	listen := ""
	for _, text := range addresses {
		address, err := netip.ParseAddr(text)
		if err != nil || !address.IsLoopback() {
			return alias
		}
		if address.Is4() && listen == "" {
			listen = text
		}
	}
	if listen == "" {
		return alias
	}
	return Name{own, listen, false}
}

// Hosts is the text of a hosts file that knows the alias besides the machine's own names.
func Hosts() (string, error) {
	machine, err := os.ReadFile("/etc/hosts")
	if err != nil && !os.IsNotExist(err) {
		return "", err
	}
	return fmt.Sprintf("127.0.0.1 localhost %s\n%s", Alias, machine), nil
}

// Namespace is how to start a process that is to call Enter: with mounts of its own, and, where we are not root,
// in a user namespace in which it may mount.
func Namespace() syscall.SysProcAttr {
	attributes := syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	if uid := os.Geteuid(); uid != 0 {
		attributes.Cloneflags |= syscall.CLONE_NEWUSER
		attributes.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: uid, Size: 1}}
		attributes.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}}
	}
	return attributes
}

// Enter lays the hosts file over /etc/hosts in this process' own mount namespace, and then becomes argv. It returns
// only on failure.
func Enter(hosts string, argv []string) error {
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("make the mounts private: %w", err)
	}
	if err := syscall.Mount(hosts, "/etc/hosts", "", syscall.MS_BIND, ""); err != nil {
		return fmt.Errorf("lay %s over /etc/hosts: %w", hosts, err)
	}
	return fmt.Errorf("start %s: %w", argv[0], syscall.Exec(argv[0], argv, os.Environ()))
}
