package recovery

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
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// Worker is a running analyzer, as a process or container.
type Worker interface {
	Await(t *testing.T, text string) // waits until it has written text
	Kill(t *testing.T)
	Written() string
}

// AnalyzersShare proves that each analyzer processes a part of the items, and that no item is processed twice.
func AnalyzersShare(t *testing.T, s system.System, analyzers ...Worker) {
	t.Helper()
	const files = 60
	attempt := regexp.MustCompile(`"outcome":"(done|given_up|rejected)"[^\n]*"message":"attempt"`)
	attempts := func(a Worker) int { return len(attempt.FindAllString(a.Written(), -1)) }
	before := make([]int, len(analyzers))
	for i, a := range analyzers {
		before[i] = attempts(a)
	}
	api := s.Client(t, system.NewOwner())
	ctx := system.Within(t)
	ends := system.UploadMany(ctx, t, api, files)
	for id, end := range ends {
		file := system.Await(t, api, id)
		want := client.Failed
		if end == client.CompletedEvent {
			want = client.Completed
		}
		if file.Status != want {
			t.Errorf("%s is %s, want %s", id, file.Status, want)
		}
	}
	if len(ends) != files {
		t.Errorf("%d files were uploaded, want %d", len(ends), files)
	}
	js := s.JetStream(t)
	system.Eventually(t, func() error { return system.NothingWaits(ctx, js) })
	total := 0
	for i, a := range analyzers {
		did := attempts(a) - before[i]
		if did == 0 {
			t.Errorf("analyzer %d made no attempts, want at least one", i)
		}
		total += did
	}
	if total != files {
		t.Errorf("the analyzers made %d attempts for %d files, want one for each", total, files)
	}
}

// KilledAnalyzerIsReplaced proves that an item that is in progress when its analyzer is killed is finished once, by
// another analyzer. It starts the only analyzers of the system.
func KilledAnalyzerIsReplaced(t *testing.T, s system.System, analyzer func() Worker) {
	t.Helper()
	api := s.Client(t, system.NewOwner())
	text := strings.Repeat(system.RandomText(152, 2000), 20)
	want := system.Count(text)
	var ids []string
	for i := range 16 {
		ids = append(ids, system.UploadPresigned(t, api, fmt.Sprint(i), "text/plain", []byte(text)).FileID)
	}
	first := analyzer()
	first.Await(t, `"outcome":"done"`) // it is now working on the next file
	first.Kill(t)
	analyzer()
	js := s.JetStream(t)
	for _, id := range ids {
		system.CheckResult(t, system.Await(t, api, id), want)
		if outcomes := s.Outcomes(t, js, id); len(outcomes) != 1 {
			t.Errorf("outcomes of %s: %v, want one", id, outcomes)
		}
	}
}

// claimByHand changes both items of a file as if a worker had crashed right after its claim.
func claimByHand(t *testing.T, s system.System, owner, fileID string) {
	t.Helper()
	now := fmt.Sprint(time.Now().UnixMilli())
	for pk, sk := range map[string]string{"FILE#" + fileID: "META", "OWNER#" + owner: "FILE#" + fileID} {
		_, err := s.Tables().UpdateItem(system.Within(t), &dynamodb.UpdateItemInput{
			TableName:                &s.Table,
			Key:                      system.Item{"PK": &types.AttributeValueMemberS{Value: pk}, "SK": &types.AttributeValueMemberS{Value: sk}},
			UpdateExpression:         aws.String("SET #status = :status, updatedAt = :now"),
			ExpressionAttributeNames: map[string]string{"#status": "status"},
			ExpressionAttributeValues: system.Item{
				":status": &types.AttributeValueMemberS{Value: client.InProgress}, ":now": &types.AttributeValueMemberN{Value: now},
			},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
