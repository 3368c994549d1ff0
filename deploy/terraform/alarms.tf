# Alarms for what only AWS can measure. The programs have metrics, alerts and runbooks of their own: deploy/observability.
locals {
  alarm_tables = var.alarm_topic_arn == null ? {} : local.table_arns
  alarm_topics = var.alarm_topic_arn == null ? [] : [var.alarm_topic_arn]
}

resource "aws_cloudwatch_metric_alarm" "throttled" {
  for_each = local.alarm_tables

  alarm_name          = "${var.name_prefix}-${replace(each.key, "_", "-")}-throttled"
  alarm_description   = "DynamoDB throttles requests to the table. With provisioned capacity, raise the maximum."
  namespace           = "AWS/DynamoDB"
  metric_name         = "ThrottledRequests"
  dimensions          = { TableName = element(split("/", each.value), 1) }
  statistic           = "Sum"
  period              = 60
  evaluation_periods  = 5
  threshold           = 0
  comparison_operator = "GreaterThanThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = local.alarm_topics
  ok_actions          = local.alarm_topics
  tags                = local.tags
}

resource "aws_cloudwatch_metric_alarm" "notices_old" {
  count = var.alarm_topic_arn == null ? 0 : 1

  alarm_name          = "${var.name_prefix}-notices-old"
  alarm_description   = "Ingest does not read the queue of upload notifications. Sweeps find the uploads, a minute later."
  namespace           = "AWS/SQS"
  metric_name         = "ApproximateAgeOfOldestMessage"
  dimensions          = { QueueName = aws_sqs_queue.notices.name }
  statistic           = "Maximum"
  period              = 60
  evaluation_periods  = 5
  threshold           = 300
  comparison_operator = "GreaterThanThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = local.alarm_topics
  ok_actions          = local.alarm_topics
  tags                = local.tags
}

resource "aws_cloudwatch_metric_alarm" "notices_dead" {
  count = var.alarm_topic_arn == null ? 0 : 1

  alarm_name          = "${var.name_prefix}-notices-dead"
  alarm_description   = "Ingest could not publish notifications to NATS in ten attempts."
  namespace           = "AWS/SQS"
  metric_name         = "ApproximateNumberOfMessagesVisible"
  dimensions          = { QueueName = aws_sqs_queue.unreadable.name }
  statistic           = "Maximum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 0
  comparison_operator = "GreaterThanThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = local.alarm_topics
  ok_actions          = local.alarm_topics
  tags                = local.tags
}
