//go:build stack

package stack

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/netip"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/moby/moby/api/types/container"
	dockernetwork "github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/network"
	"github.com/testcontainers/testcontainers-go/wait"
	"go.yaml.in/yaml/v3"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// composed is a service in docker-compose.yml.
type composed struct {
	Image       string
	Command     string
	User        string
	ReadOnly    bool `yaml:"read_only"`
	Tmpfs       []string
	CapDrop     []string `yaml:"cap_drop"`
	SecurityOpt []string `yaml:"security_opt"`
	Environment map[string]string
	Volumes     []string
	Ports       []string
	Healthcheck struct {
		Disable bool
		Test    []string
	}
}

// composition contains the services of docker-compose.yml, which this test runs on its own network.
type composition struct {
	root     string
	services map[string]composed
	network  *testcontainers.DockerNetwork
	docker   *testcontainers.DockerClient
	volumes  string // prefix of the names of volumes
}

var composeVariable = regexp.MustCompile(`\$\{(\w+)(?::-([^}]*))?\}`)

func readComposition(t *testing.T) *composition {
	t.Helper()
	root := system.Repository(t, ".")
	file, err := os.ReadFile(root + "/docker-compose.yml")
	if err != nil {
		t.Fatal(err)
	}
	text := composeVariable.ReplaceAllStringFunc(string(file), func(variable string) string {
		parts := composeVariable.FindStringSubmatch(variable)
		if value := os.Getenv(parts[1]); value != "" {
			return value
		}
		return parts[2]
	})
	c := &composition{root: root, volumes: "assay-test-" + uuid.NewString()}
	var described struct{ Services map[string]composed }
	if err := yaml.Unmarshal([]byte(text), &described); err != nil {
		t.Fatalf("docker-compose.yml: %v", err)
	}
	c.services = described.Services
	ctx := system.Within(t)
	if c.docker, err = testcontainers.NewDockerClientWithOpts(ctx); err != nil {
		t.Fatalf("no Docker engine: %v", err)
	}
	if c.network, err = network.New(ctx); err != nil {
		t.Fatalf("no Docker engine: %v", err)
	}
	t.Cleanup(func() {
		for _, volume := range []string{"nats", "s3", "dynamodb"} {
			if _, err := c.docker.VolumeRemove(context.Background(), c.volumes+volume, client.VolumeRemoveOptions{Force: true}); err != nil {
				t.Errorf("volume %s: %v", volume, err)
			}
		}
	})
	testcontainers.CleanupNetwork(t, c.network)
	return c
}

// host contains the settings that a test chooses for a container.
type host struct {
	env   map[string]string
	ports map[string]string // fixed ports of this machine, by port of the container
	once  bool              // whether the container exits by itself
	// networks lists networks in addition to the default one.
	networks []string
}

// run starts a service as described in docker-compose.yml, and returns when it is healthy or has ended successfully.
func (c *composition) run(t *testing.T, service string, h host) *contained {
	t.Helper()
	is, ok := c.services[service]
	if !ok {
		t.Fatalf("docker-compose.yml has no service %s", service)
	}
	env := maps.Clone(is.Environment)
	if env == nil {
		env = map[string]string{}
	}
	maps.Copy(env, h.env)
	request := testcontainers.ContainerRequest{
		Image: is.Image, Cmd: strings.Fields(is.Command), Env: env,
		Networks: append([]string{c.network.Name}, h.networks...), NetworkAliases: map[string][]string{c.network.Name: {service}},
		ConfigModifier: func(config *container.Config) {
			config.User = is.User
			if len(is.Healthcheck.Test) > 0 {
				config.Healthcheck = &container.HealthConfig{Test: is.Healthcheck.Test, Interval: time.Second, Timeout: 3 * time.Second, Retries: 60}
			}
		},
		HostConfigModifier: func(config *container.HostConfig) {
			config.ReadonlyRootfs, config.CapDrop, config.SecurityOpt = is.ReadOnly, is.CapDrop, is.SecurityOpt
			for _, volume := range is.Volumes {
				if path, local := strings.CutPrefix(volume, "./"); local {
					config.Binds = append(config.Binds, c.root+"/"+path)
				} else {
					config.Binds = append(config.Binds, c.volumes+volume)
				}
			}
			config.Tmpfs = map[string]string{}
			for _, path := range is.Tmpfs {
				config.Tmpfs[path] = ""
			}
			if len(h.ports) > 0 {
				config.PortBindings = dockernetwork.PortMap{}
			}
			for inside, outside := range h.ports {
				config.PortBindings[dockernetwork.MustParsePort(inside)] = []dockernetwork.PortBinding{
					{HostIP: netip.MustParseAddr("127.0.0.1"), HostPort: outside},
				}
			}
		},
		WaitingFor: wait.ForHealthCheck().WithStartupTimeout(2 * system.StartWait),
	}
	for _, port := range is.Ports {
		request.ExposedPorts = append(request.ExposedPorts, port[strings.LastIndex(port, ":")+1:]+"/tcp")
	}
	if h.once {
		request.WaitingFor = wait.ForExit().WithExitTimeout(2 * system.StartWait)
	}
	started, err := testcontainers.GenericContainer(context.Background(), testcontainers.GenericContainerRequest{ContainerRequest: request, Started: true})
	testcontainers.CleanupContainer(t, started, testcontainers.StopTimeout(time.Second))
	made := &contained{c: c, service: service, container: started}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the last output of %s:\n%s", service, made.tail(4000))
		}
	})
	if err != nil {
		t.Fatalf("%s: %v", service, err)
	}
	if state, err := started.State(system.Within(t)); err != nil || h.once && state.ExitCode != 0 {
		t.Fatalf("%s exited with %d, %v; want 0", service, state.ExitCode, err)
	}
	return made
}

// contained is a service that runs in a container.
type contained struct {
	c         *composition
	service   string
	container testcontainers.Container
}

// at returns the address on this machine of a port of the service.
func (s *contained) at(t *testing.T, port string) string {
	t.Helper()
	mapped, err := s.container.MappedPort(system.Within(t), port+"/tcp")
	if err != nil {
		t.Fatal(err)
	}
	return "127.0.0.1:" + mapped.Port()
}

func (s *contained) Written() string {
	logs, err := s.container.Logs(context.Background())
	if err != nil {
		return err.Error()
	}
	defer logs.Close()
	text, err := io.ReadAll(logs)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func (s *contained) tail(n int) string {
	text := s.Written()
	return text[max(0, len(text)-n):]
}

func (s *contained) Await(t *testing.T, text string) {
	t.Helper()
	system.Eventually(t, func() error {
		if !strings.Contains(s.Written(), text) {
			return fmt.Errorf("%s has not written %q", s.service, text)
		}
		return nil
	})
}

// Kill kills the service.
func (s *contained) Kill(t *testing.T) {
	t.Helper()
	if _, err := s.c.docker.ContainerKill(system.Within(t), s.container.GetContainerID(), client.ContainerKillOptions{Signal: "KILL"}); err != nil {
		t.Errorf("kill %s: %v", s.service, err)
	}
}

// stop stops the service and frees its ports.
func (s *contained) stop(t *testing.T) {
	t.Helper()
	grace := 10 * time.Second
	if err := s.container.Stop(system.Within(t), &grace); err != nil {
		t.Fatalf("stop %s: %v", s.service, err)
	}
}

// restart kills the service and starts it again at the same address.
func (s *contained) restart(t *testing.T) {
	t.Helper()
	s.Kill(t)
	system.Eventually(t, func() error { return s.container.Start(system.Within(t)) })
}

// join connects the container to another network under the given name until the test ends.
func (s *contained) join(t *testing.T, other *testcontainers.DockerNetwork, name string) {
	t.Helper()
	if _, err := s.c.docker.NetworkConnect(system.Within(t), other.ID, client.NetworkConnectOptions{
		Container: s.container.GetContainerID(), EndpointConfig: &dockernetwork.EndpointSettings{Aliases: []string{name}},
	}); err != nil {
		t.Fatalf("join %s: %v", s.service, err)
	}
	t.Cleanup(func() { s.cut(t, other) })
}

// cut disconnects the container from a network until the returned function is called.
func (s *contained) cut(t *testing.T, from *testcontainers.DockerNetwork) (reconnect func()) {
	t.Helper()
	if _, err := s.c.docker.NetworkDisconnect(context.Background(), from.ID, client.NetworkDisconnectOptions{Container: s.container.GetContainerID(), Force: true}); err != nil {
		t.Fatalf("cut %s: %v", s.service, err)
	}
	return func() {
		if _, err := s.c.docker.NetworkConnect(system.Within(t), from.ID, client.NetworkConnectOptions{Container: s.container.GetContainerID()}); err != nil {
			t.Errorf("reconnect %s: %v", s.service, err)
		}
	}
}

// keepablePort returns a free port that a container can reuse after a restart.
func keepablePort(t *testing.T) string {
	t.Helper()
	_, port, err := net.SplitHostPort(system.KeepableAddr(t))
	if err != nil {
		t.Fatal(err)
	}
	return port
}
