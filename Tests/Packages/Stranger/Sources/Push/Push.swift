public enum PushModule {}
