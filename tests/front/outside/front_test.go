package outside

import (
	"flag"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var (
	probePath = flag.String("probe", "", "the front_probe to test")
	rounds    = flag.Int("rounds", 20, "of -soak: how often each connection is left idle to the edge, 2 minutes each time")
	soak      = flag.Bool("soak", false, "with the idle times as they are for real: takes minutes")
)

// failures counts failed calls and keeps the words of the first.
type failures struct {
	count atomic.Int64
	first sync.Once
	words string
}

func (f *failures) add(err error) {
	f.count.Add(1)
	f.first.Do(func() { f.words = err.Error() })
}

func (f *failures) check(t *testing.T, calls int64) {
	t.Helper()
	if n := f.count.Load(); n > 0 {
		t.Errorf("%d of %d calls failed, the first with: %s", n, calls, f.words)
	}
}

// R1: connections that were idle just as long as the client, and as long as the server, keeps them. A call that meets
// the server's closing of its connection fails; that takes a tenth of a millisecond's bad luck and a day in production, so
// what is checked is that the server never is the first to close.
func TestCallsAtTheEdgeOfTheIdleTime(t *testing.T) {
	serverIdle, clientIdle, connections, edges := 1950*time.Millisecond, 1350*time.Millisecond, 40, 4
	if *soak {
		serverIdle, clientIdle, connections, edges = 130*time.Second, realIdle, 250, *rounds
	}
	certs := t.TempDir()
	p := start(t, certs, 0, "--idle", fmt.Sprint(serverIdle.Milliseconds()))
	var calls, closedFirst atomic.Int64
	var failed failures
	var all sync.WaitGroup
	for i := 0; i < connections; i++ {
		all.Add(1)
		go func(i int) {
			defer all.Done()
			client, err := newAPIServer(certs, clientIdle, func() string { return p.address })
			if err != nil {
				failed.add(err)
				return
			}
			defer func() { closedFirst.Add(client.closedFirst.Load()) }()
			for round := 0; round < edges; round++ {
				edge := clientIdle
				if (i+round)%2 == 1 {
					edge = serverIdle
				}
				// 40 connections spread over 20 ms before and after the edge.
				time.Sleep(edge + time.Duration(i%41-20)*time.Millisecond)
				calls.Add(1)
				if status, _, err := client.post("/echo"); err != nil {
					failed.add(err)
				} else if status != http.StatusOK {
					failed.add(fmt.Errorf("status %d", status))
				}
			}
		}(i)
	}
	all.Wait()
	failed.check(t, calls.Load())
	if n := closedFirst.Load(); n > 0 {
		t.Errorf("the server closed %d connections before the client did", n)
	}
}

// R3: a rolling restart under load. New connections go to the old process until the endpoints are known to have
// changed, kept ones for as long as they are kept; no call fails.
func TestRestartLosesNoCall(t *testing.T) {
	drain, propagation, restarts := 1500*time.Millisecond, 500*time.Millisecond, 2
	if *soak {
		drain, propagation, restarts = 15*time.Second, 5*time.Second, 10
	}
	certs := t.TempDir()
	begin := func() *probe { return start(t, certs, 0, "--drain", fmt.Sprint(drain.Milliseconds())) }
	current := begin()
	var address atomic.Value
	address.Store(current.address)
	client, err := newAPIServer(certs, realIdle, func() string { return address.Load().(string) })
	if err != nil {
		t.Fatal(err)
	}
	var calls atomic.Int64
	var failed failures
	stop := make(chan struct{})
	var load sync.WaitGroup
	load.Add(1)
	go func() { // 200 calls a second, however long each takes
		defer load.Done()
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				load.Add(1)
				go func() {
					defer load.Done()
					calls.Add(1)
					if status, _, err := client.post("/echo"); err != nil {
						failed.add(err)
					} else if status != http.StatusOK {
						failed.add(fmt.Errorf("status %d", status))
					}
				}()
			}
		}
	}()
	// Idle connections that nothing is ever sent on must not hold the restart up.
	for i := 0; i < 100; i++ {
		idle, err := net.Dial("tcp", current.address)
		if err != nil {
			t.Fatal(err)
		}
		defer idle.Close()
	}
	for i := 0; i < restarts; i++ {
		next := begin()
		ended := make(chan error)
		go func(old *probe) { ended <- old.end() }(current)
		waitNotReady(t, current)
		time.Sleep(propagation)
		address.Store(next.address)
		if err := <-ended; err != nil {
			t.Errorf("the old process ended with: %v", err)
		}
		current = next
	}
	close(stop)
	load.Wait()
	failed.check(t, calls.Load())
}

func waitNotReady(t *testing.T, p *probe) {
	t.Helper()
	for {
		answer, err := http.Get("http://" + p.ops + "/readyz")
		if err != nil {
			t.Fatalf("the ops port went before the front: %v", err)
		}
		answer.Body.Close()
		if answer.StatusCode == http.StatusServiceUnavailable {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// R4: a limit on descriptors that is far below what clients open. The ops port answers all the while, and calls do as
// soon as there is room.
func TestShortOfDescriptors(t *testing.T) {
	certs := t.TempDir()
	p := start(t, certs, 64, "--drain", "100", "--handshake", "1000")
	var held []net.Conn
	for i := 0; i < 100; i++ {
		c, err := net.Dial("tcp", p.address)
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, c)
	}
	waitFor(t, func() bool { return strings.Contains(metrics(t, p), "driftbar_connections 32\n") })
	for _, c := range held {
		c.Close()
	}
	client, err := newAPIServer(certs, realIdle, func() string { return p.address })
	if err != nil {
		t.Fatal(err)
	}
	if status, _, err := client.post("/echo"); err != nil || status != http.StatusOK {
		t.Errorf("status %d, %v", status, err)
	}
	if err := p.end(); err != nil {
		t.Error(err)
	}
}

// R5: far more than can be done. Every call is answered, those too many with a 429 that the API server knows to repeat;
// and when the burst is over all is as before.
func TestOverload(t *testing.T) {
	clients, each := 64, 20
	if *soak {
		clients, each = 400, 2000
	}
	certs := t.TempDir()
	p := start(t, certs, 0, "--waiting", "8")
	client, err := newAPIServer(certs, realIdle, func() string { return p.address })
	if err != nil {
		t.Fatal(err)
	}
	var fine, refused atomic.Int64
	var failed failures
	var all sync.WaitGroup
	for i := 0; i < clients; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			for n := 0; n < each; n++ {
				switch status, retryAfter, err := client.post("/slow"); {
				case err != nil:
					failed.add(err)
				case status == http.StatusOK:
					fine.Add(1)
				case status == http.StatusTooManyRequests && retryAfter == "1":
					refused.Add(1)
				default:
					failed.add(fmt.Errorf("status %d, Retry-After %q", status, retryAfter))
				}
			}
		}()
	}
	all.Wait()
	failed.check(t, int64(clients*each))
	t.Logf("%d answered, %d told to come again", fine.Load(), refused.Load())
	if fine.Load() == 0 || refused.Load() == 0 {
		t.Error("this was no overload, or nothing but")
	}
	if status, _, err := client.post("/slow"); err != nil || status != http.StatusOK {
		t.Errorf("afterwards: status %d, %v", status, err)
	}
}

func metrics(t *testing.T, p *probe) string {
	t.Helper()
	answer, err := http.Get("http://" + p.ops + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var text strings.Builder
	buffer := make([]byte, 1<<16)
	for {
		n, err := answer.Body.Read(buffer)
		text.Write(buffer[:n])
		if err != nil {
			return text.String()
		}
	}
}

func waitFor(t *testing.T, what func() bool) {
	t.Helper()
	for limit := time.Now().Add(time.Minute); !what(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatal("waited a minute in vain")
		}
	}
}
