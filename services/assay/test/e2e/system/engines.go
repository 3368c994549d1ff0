package system

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/services/assay/embedded"
)

// Environment variables of the engines.
const (
	engineDir  = "E2E_ENGINE_DIR"
	engineAddr = "E2E_ENGINE_ADDR"
)

// Credentials of the engines.
const AccessKey, SecretKey, Region = "assay", "e2e-secret", "us-east-1"

// programs returns the secrets of programs by access key. Programs use their names as access keys if the engines enforce
// policies.
func programs(secret string) map[string]string {
	return map[string]string{"setup": secret, "ingest": secret, "analyzer": secret, "query": secret, "rebuild": secret, "backup": secret}
}

// runEngine runs one engine in this process until it is interrupted, so that a test can stop each engine separately.
func runEngine(name string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	dir, addr := os.Getenv(engineDir), os.Getenv(engineAddr)
	log := zerolog.New(os.Stderr)
	serve := func(url string) {
		fmt.Println("engine at", url, "is ready")
		<-ctx.Done()
	}
	switch name {
	case "nats":
		engine, err := embedded.StartNATS(embedded.NATSConfig{Dir: dir, Addr: addr, User: AccessKey, Password: SecretKey, Log: log})
		if err != nil {
			return err
		}
		serve(engine.URL())
		engine.Close()
		return nil
	case "guarded-nats":
		return serveGuardedNATS(dir, addr, serve)
	case "dynamodb":
		engine, err := embedded.StartDynamoDB(embedded.DynamoDBConfig{Path: dir + "/dynamodb.db", Addr: addr, AccessKey: AccessKey, SecretKey: SecretKey, Log: log})
		if err != nil {
			return err
		}
		serve(engine.URL())
		return engine.Close()
	case "s3":
		conn, err := nats.Connect(os.Getenv("ASSAY_NATS_URL"), nats.Timeout(Soon), nats.MaxReconnects(-1), nats.CustomInboxPrefix("_INBOX.s3"))
		if err != nil {
			return err
		}
		defer conn.Close()
		js, err := jetstream.New(conn)
		if err != nil {
			return err
		}
		engine, err := embedded.StartS3(ctx, embedded.S3Config{
			Dir: dir, Addr: addr, AccessKey: AccessKey, SecretKey: SecretKey, Region: Region, Log: log, Others: programs(SecretKey),
			Created: func(ctx context.Context, o embedded.Object) error { return notify(ctx, js, o) },
		})
		if err != nil {
			return err
		}
		serve(engine.URL())
		return engine.Close()
	}
	return fmt.Errorf("unknown role %q", name)
}

// notify publishes a notification of the bucket in the format of EventBridge. `assay serve` uses the other format that
// ingest accepts.
func notify(ctx context.Context, js jetstream.JetStream, o embedded.Object) error {
	type named map[string]string
	notice, err := json.Marshal(map[string]any{
		"source": "aws.s3", "detail-type": "Object Created",
		"detail": map[string]any{"bucket": named{"name": o.Bucket}, "object": named{"key": o.Key, "etag": o.ETag}},
	})
	if err != nil {
		return err
	}
	_, err = js.Publish(ctx, "s3.notice", notice)
	return err
}
