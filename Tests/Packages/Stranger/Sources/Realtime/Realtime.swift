public enum RealtimeModule {}
