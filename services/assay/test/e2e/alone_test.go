package e2e

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/services/assay/client"
)

// TestServicesAlone: ingest, query and three analyzers as processes of their
// own, configured by environment variables only, keep the promises of one process, and
// the analyzers share the work.
func TestServicesAlone(t *testing.T) {
	t.Parallel()
	c := startCluster(t, "ASSAY_ANALYZER_PARALLEL=2")
	c.front(t, c.service(t, "ingest"), c.service(t, "query"))
	analyzers := []*service{c.service(t, "analyzer"), c.service(t, "analyzer"), c.service(t, "analyzer")}

	analyzersShare(t, c.system, analyzers[0], analyzers[1], analyzers[2])
	for _, a := range analyzers {
		if status := a.interrupt(t); status != 0 {
			t.Errorf("a stopped analyzer has the exit status %d", status)
		}
	}
	t.Run("promises", func(t *testing.T) {
		c.service(t, "analyzer")
		for name, promise := range map[string]func(*testing.T, system){
			"bucket notice is enough": bucketNoticeIsEnough, "items follow the seed": itemsFollowTheSeed,
			"wait holds the answer": waitHoldsTheResponse, "delete removes all": deleteRemovesAll,
		} {
			t.Run(name, func(t *testing.T) { promise(t, c.system) })
		}
	})
}

// worker is a running analyzer, as a process or container.
type worker interface {
	await(t *testing.T, text string) // until it has written text
	kill(t *testing.T)
	written() string
}

// analyzersShare: each analyzer processes a part of the items, and no item is
// processed twice.
func analyzersShare(t *testing.T, s system, analyzers ...worker) {
	t.Helper()
	const files = 200
	attempt := regexp.MustCompile(`"outcome":"(done|given_up)"[^\n]*"message":"attempt"`)
	attempts := func(a worker) int { return len(attempt.FindAllString(a.written(), -1)) }
	before := make([]int, len(analyzers))
	for i, a := range analyzers {
		before[i] = attempts(a)
	}
	speaker := s.client(t, newOwner())
	ctx := within(t)
	ends := uploadMany(ctx, t, speaker, files)
	for id, end := range ends {
		file := final(t, speaker, id)
		want := client.Failed
		if end == client.CompletedEvent {
			want = client.Completed
		}
		if file.Status != want {
			t.Errorf("%s is %s, want %s", id, file.Status, want)
		}
	}
	if len(ends) != files {
		t.Errorf("%d files, want %d", len(ends), files)
	}
	js := s.jetStream(t)
	eventually(t, func() error { return nothingWaits(ctx, js) })
	total := 0
	for i, a := range analyzers {
		did := attempts(a) - before[i]
		if did == 0 {
			t.Errorf("analyzer %d did nothing", i)
		}
		total += did
	}
	if total != files {
		t.Errorf("the analyzers made %d attempts for %d files", total, files)
	}
}

// TestKilledAnalyzerIsReplaced: an item in progress when its analyzer was killed
// is finished by another analyzer, once.
func TestKilledAnalyzerIsReplaced(t *testing.T) {
	t.Parallel()
	c := startCluster(t, "ASSAY_ANALYZER_PARALLEL=2")
	c.front(t, c.service(t, "ingest"), c.service(t, "query"))
	killedAnalyzerIsReplaced(t, c.system, func() worker { return c.service(t, "analyzer") })
}

// killedAnalyzerIsReplaced starts the only analyzers of a system.
func killedAnalyzerIsReplaced(t *testing.T, s system, analyzer func() worker) {
	t.Helper()
	speaker := s.client(t, newOwner())
	text := strings.Repeat(randomText(152, 2000), 100)
	var ids []string
	for i := range 16 {
		ids = append(ids, presigned(t, speaker, fmt.Sprint(i), "text/plain", []byte(text)).FileID)
	}
	doomed := analyzer()
	doomed.await(t, `"outcome":"done"`) // and working on the next
	doomed.kill(t)
	analyzer()
	js := s.jetStream(t)
	for _, id := range ids {
		checkResult(t, final(t, speaker, id), count(text))
		if outcomes := s.outcomes(t, js, id); len(outcomes) != 1 {
			t.Errorf("outcomes of %s: %v, want one", id, outcomes)
		}
	}
}

// TestMissingSettingIsNamed: the error of a service names the missing variable.
func TestMissingSettingIsNamed(t *testing.T) {
	t.Parallel()
	for _, role := range []string{"ingest", "analyzer", "query"} {
		for name, c := range map[string]struct{ env, says string }{
			"missing": {"", role + " cannot start:\nASSAY_NATS_URL is not set ("},
			"bad":     {"ASSAY_DRAIN=soon", "ASSAY_DRAIN is \"soon\", which is not a duration"},
		} {
			p := launch(t, role, []string{c.env})
			if status := p.end(t); status != 2 {
				t.Errorf("%s, %s: exit status %d, want 2", role, name, status)
			}
			if said := p.output.String(); !strings.Contains(said, c.says) {
				t.Errorf("%s, %s: it says %q", role, name, said)
			}
		}
		p := launch(t, role, []string{"ASSAY_NATS_URL=nats://127.0.0.1:1", "ASSAY_NATS_SYNC=always", "AWS_ACCESS_KEY_ID=a", "AWS_SECRET_ACCESS_KEY=b", "ASSAY_ADDR=127.0.0.1:0"})
		if status := p.end(t); status != 1 || !strings.Contains(p.output.String(), "cannot reach NATS at nats://127.0.0.1:1") {
			t.Errorf("%s without NATS: exit status %d: %s", role, status, p.output)
		}
	}
}

// TestForgottenDeliveryIsTakenOver: a NATS server that was killed counts a
// delivery from 1 again. The file that its dead worker had claimed a moment
// before is analyzed nevertheless.
func TestForgottenDeliveryIsTakenOver(t *testing.T) {
	t.Parallel()
	c := startCluster(t, "ASSAY_LEASE=10m")
	c.front(t, c.service(t, "ingest"), c.service(t, "query"))
	owner := newOwner()
	speaker := c.client(t, owner)
	text := randomText(151, 100)
	file := presigned(t, speaker, "claimed.txt", "text/plain", []byte(text))
	claimByHand(t, c.system, owner, file.FileID)
	c.service(t, "analyzer")
	checkResult(t, final(t, speaker, file.FileID), count(text))
}

// claimByHand writes both items like a worker that dies right after its claim.
func claimByHand(t *testing.T, s system, owner, fileID string) {
	t.Helper()
	now := fmt.Sprint(time.Now().UnixMilli())
	for pk, sk := range map[string]string{"FILE#" + fileID: "META", "OWNER#" + owner: "FILE#" + fileID} {
		_, err := s.tables().UpdateItem(within(t), &dynamodb.UpdateItemInput{
			TableName:                &s.Table,
			Key:                      item{"PK": &types.AttributeValueMemberS{Value: pk}, "SK": &types.AttributeValueMemberS{Value: sk}},
			UpdateExpression:         aws.String("SET #status = :status, updatedAt = :now"),
			ExpressionAttributeNames: map[string]string{"#status": "status"},
			ExpressionAttributeValues: item{
				":status": &types.AttributeValueMemberS{Value: client.InProgress}, ":now": &types.AttributeValueMemberN{Value: now},
			},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
