package embedded

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
)

// The test binary runs itself as a child process so that a test can kill an engine. The first
// variable names the engine, and the second one the directory.
const (
	childEngine = "EMBEDDED_TEST_ENGINE"
	childDir    = "EMBEDDED_TEST_DIR"
)

func TestMain(m *testing.M) {
	if engine := os.Getenv(childEngine); engine != "" {
		os.Exit(runChild(engine, os.Getenv(childDir)))
	}
	os.Exit(m.Run())
}

// runChild runs an engine until it is killed or until its standard input ends because the parent has
// exited. It first prints the URL of the engine.
func runChild(engine, dir string) int {
	var url string
	var err error
	switch engine {
	case "nats":
		var n *NATS
		if n, err = StartNATS(NATSConfig{Dir: dir, User: testKey, Password: testSecret}); err == nil {
			url = n.URL()
		}
	case "s3":
		var s *S3
		if s, err = StartS3(context.Background(), S3Config{Dir: dir, AccessKey: testKey, SecretKey: testSecret}); err == nil {
			url = s.URL()
		}
	case "dynamodb":
		var d *DynamoDB
		if d, err = StartDynamoDB(DynamoDBConfig{Path: dir, AccessKey: testKey, SecretKey: testSecret}); err == nil {
			url = d.URL()
		}
	default:
		err = fmt.Errorf("unknown engine %q", engine)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println(url)
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return 1
	}
	return 0
}

// startChild runs an engine in a child process. kill sends SIGKILL and returns the standard output
// that followed the URL.
func startChild(t *testing.T, engine, dir string) (url string, kill func() string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEngine+"="+engine, childDir+"="+dir)
	cmd.Stderr = os.Stderr
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	killed := false
	kill = func() string {
		if killed {
			return ""
		}
		killed = true
		if err := cmd.Process.Kill(); err != nil {
			t.Errorf("kill %s: %v", engine, err)
		}
		rest, err := io.ReadAll(stdout)
		if err != nil {
			t.Errorf("read the output of %s: %v", engine, err)
		}
		if err := cmd.Wait(); err == nil {
			t.Errorf("%s exited with status 0, want a killed process", engine)
		}
		return string(rest)
	}
	t.Cleanup(func() { kill() })
	reader := bufio.NewReader(stdout)
	line, err := reader.ReadString('\n')
	if err != nil {
		t.Fatalf("%s did not start: %v", engine, err)
	}
	if reader.Buffered() > 0 {
		t.Fatalf("%s printed more than its URL, want only the URL", engine)
	}
	return line[:len(line)-1], kill
}
