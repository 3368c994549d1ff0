# Notifications of uploads. Ingest reads the queue if ASSAY_SQS_URL is set.
resource "aws_sqs_queue" "notices" {
  name                       = var.queue_name
  visibility_timeout_seconds = 60
  message_retention_seconds  = 345600 # 4 days; a sweep finds uploads without a notification
  kms_master_key_id          = var.kms_key_arn
  sqs_managed_sse_enabled    = var.kms_key_arn == null ? true : null
  tags                       = local.tags

  redrive_policy = jsonencode({
    deadLetterTargetArn = aws_sqs_queue.unreadable.arn
    maxReceiveCount     = 10
  })
}

# Notifications that ingest could not publish to NATS in ten attempts.
resource "aws_sqs_queue" "unreadable" {
  name                      = "${var.queue_name}-dead"
  message_retention_seconds = 1209600 # 14 days
  kms_master_key_id         = var.kms_key_arn
  sqs_managed_sse_enabled   = var.kms_key_arn == null ? true : null
  tags                      = local.tags
}

data "aws_iam_policy_document" "notices" {
  statement {
    sid       = "Buckets"
    actions   = ["sqs:SendMessage"]
    resources = [aws_sqs_queue.notices.arn]

    principals {
      type        = "Service"
      identifiers = ["s3.amazonaws.com"]
    }

    condition {
      test     = "ArnEquals"
      variable = "aws:SourceArn"
      values   = [for name in local.uploads : aws_s3_bucket.this[name].arn]
    }
  }
}

resource "aws_sqs_queue_policy" "notices" {
  queue_url = aws_sqs_queue.notices.id
  policy    = data.aws_iam_policy_document.notices.json
}

resource "aws_s3_bucket_notification" "uploads" {
  for_each = local.uploads

  bucket = aws_s3_bucket.this[each.key].id

  queue {
    queue_arn = aws_sqs_queue.notices.arn
    events    = ["s3:ObjectCreated:*"]
  }

  depends_on = [aws_sqs_queue_policy.notices]
}
