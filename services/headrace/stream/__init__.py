"""What every Kafka stage shares: clients, frames, delivery, the stage loop."""
